// Builds the scripts and style sheets of the pages from src/, into the crates that embed them.
// `--check` only says whether they are old.
// The first line of each script has a hash of all sources, so that a test without Node can compare them too.

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
/** The folders of the built files: parts of all pages, the explorer, and a site without a server. */
const folders = { parts: join(here, "../../draw/src/built"), explorer: join(here, "../src/built"), site: join(here, "../wasm/built") };
const scripts = { "explorer.js": folders.explorer, "parts.js": folders.parts, "engine.js": folders.site, "worker.js": folders.site };

/** All files that decide what is built, by their names relative to this folder. */
function sources() {
  const names = readdirSync(join(here, "src")).map((name) => `src/${name}`);
  return [...names, "package.json", "package-lock.json"].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** FNV-1a with 64 bits over name, 0, content, 0 of each source. */
function hash() {
  let value = 0xcbf29ce484222325n;
  const add = (bytes) => {
    for (const byte of bytes) value = ((value ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  };
  for (const name of sources()) {
    add(Buffer.from(name));
    add([0]);
    add(readFileSync(join(here, name)));
    add([0]);
  }
  return value.toString(16).padStart(16, "0");
}

function firstLine(name) {
  try {
    return readFileSync(name, "utf8").split("\n", 1)[0];
  } catch {
    return "";
  }
}

const mark = `/* sources ${hash()} */`;

if (process.argv.includes("--check")) {
  const all = Object.entries(scripts).map(([name, folder]) => join(folder, name));
  const old = all.filter((name) => firstLine(name) !== mark);
  if (old.length > 0) {
    console.error(`old: ${old.map((name) => relative(here, name)).join(", ")}; run \`node build.mjs\``);
    process.exit(1);
  }
  console.log("the built files are up to date");
  process.exit(0);
}

execFileSync(process.execPath, [join(here, "node_modules", "typescript", "bin", "tsc"), "--project", here], { stdio: "inherit" });

const { build } = await import("esbuild");
const result = await build({
  absWorkingDir: here,
  entryPoints: [
    { in: "src/main.ts", out: "explorer" },
    { in: "src/alone.ts", out: "parts" },
    { in: "src/explorer.css", out: "explorer" },
    { in: "src/parts.css", out: "parts" },
    { in: "src/site.ts", out: "engine" },
    { in: "src/site-worker.ts", out: "worker" },
  ],
  outdir: "built",
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  sourcemap: false,
  metafile: true,
  write: false,
});

for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
for (const { path, text } of result.outputFiles) {
  if (/<\/(script|style)/i.test(text)) throw new Error(`${path} has text that ends the element it stands in`);
  const name = basename(path);
  const folder = scripts[name] ?? (name.startsWith("parts") ? folders.parts : folders.explorer);
  writeFileSync(join(folder, name), path.endsWith(".js") ? `${mark}\n${text}` : text);
}

// The licences of the packages in a script go with it.
for (const [output, { inputs }] of Object.entries(result.metafile.outputs)) {
  const folder = folders[basename(output, ".js")];
  if (folder === undefined) continue;
  const bundled = Object.keys(inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  const packages = [...new Set(bundled.filter(Boolean))].sort();
  const licences = packages.map((name) => {
    const own = join(here, "node_modules", name);
    const file = readdirSync(own).find((entry) => /licen[sc]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence`);
    return `${name}\n\n${readFileSync(join(own, file), "utf8").trim()}\n`;
  });
  writeFileSync(join(folder, "licenses.txt"), licences.join("\n----\n\n"));
}
