// Checks a site that `crates/explorer/site` has built: `node site.mjs FOLDER PROGRAM CORPUS BROWSER`.
//
// Its engine gives the same responses as the program, for all views of all examples and for lines of a corpus, and its page works in
// the browser, which may be empty where there is none.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";

const [folder, program, corpus, browser] = process.argv.slice(2);
const views = ["answer", "story", "memory", "layout", "kernel", "rules"];

const engine = new Function(`${readFileSync(join(folder, "bindings.js"), "utf8")}; return wasm_bindgen;`)();
engine.initSync({ module: new WebAssembly.Module(readFileSync(join(folder, "engine.wasm"))) });

const server = spawn(program, ["explore", "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((found) => server.stdout.once("data", (data) => found(String(data).trim())));
const native = (body) => fetch(`${address}api`, { method: "POST", body }).then((response) => response.text());

const page = readFileSync(join(folder, "index.html"), "utf8");
const examples = JSON.parse(/<script type="application\/json" id="examples">(.*?)<\/script>/s.exec(page)[1]);
const requests = [];
for (const { state: { view: _, ...input } } of examples) for (const view of views) requests.push({ view, input });
const lines = readFileSync(corpus, "utf8").trim().split("\n");
for (let at = 0; at < lines.length; at += Math.ceil(lines.length / 60)) {
  requests.push({ view: at % 2 === 0 ? "kernel" : "answer", input: { text: lines[at] } });
}
requests.push({ view: "answer", input: { text: "x +" } }, { view: "answer", input: { text: "x".repeat(9000) } });
let wrong = 0;
for (const json of requests.map((request) => JSON.stringify(request))) {
  if (engine.respond(json) === (await native(json))) continue;
  wrong += 1;
  console.log(`failed  another response than that of the program: ${json}`);
}
server.kill();
assert.equal(wrong, 0);
console.log(`ok      ${requests.length} responses are those of the program`);

if (browser) {
  const { chromium } = await import("playwright-core");
  const kinds = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
  const files = createServer(({ url }, response) => {
    const name = new URL(url, "http://localhost").pathname.replace(/^\/$/, "/index.html");
    try {
      const content = readFileSync(join(folder, name));
      response.writeHead(200, { "content-type": kinds[extname(name)] ?? "text/plain" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => files.listen(0, "127.0.0.1", listening));
  const base = `http://127.0.0.1:${files.address().port}/`;
  const started = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
  const troubles = [];
  const tab = await started.newPage();
  tab.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  tab.on("pageerror", (error) => troubles.push(error.message));
  tab.on("request", (request) => request.url().startsWith(base) || /^(data|blob):/.test(request.url()) || troubles.push(`a request to ${request.url()}`));
  const result = (text) => tab.waitForFunction((wanted) => document.getElementById("result").textContent.includes(wanted), text);
  await tab.goto(`${base}#view=answer&text=(i*4+%2B+j)//4&var=i%3D0..9&var=j%3D0..3`);
  await result("instructions");
  // a request that another one overtakes is given up
  await tab.goto(`${base}#view=story&effort=3&text=(i*12+%2B+j)//4%253+%2B+(i*12+%2B+j)//12*3&var=i%3D0..99&var=j%3D0..11`);
  await tab.waitForTimeout(60);
  await tab.goto(`${base}#view=answer&text=x//7//8&var=x%3D0..9999`);
  await result("x//56");
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "Save as page" }).click()]);
  const saved = readFileSync(await download.path(), "utf8");
  assert.ok(!saved.includes("<script src="), "a saved page needs no engine");
  assert.deepEqual(troubles, []);
  await started.close();
  files.close();
  console.log("ok      the site in a browser");
} else {
  console.log("skipped the site in a browser: Chromium is not installed");
}
