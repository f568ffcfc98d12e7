// Drives the explorer in a browser: `node check.mjs PROGRAM BROWSER [--screens FOLDER | --only WORDS]`.
//
// Each check opens the page of a fresh server. The page may not log an error, and may ask no other host. With `--screens` pictures of all
// views are written, for the docs.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [program, executablePath, ...rest] = process.argv.slice(2);
const screens = rest[0] === "--screens" ? rest[1] : undefined;
const only = rest[0] === "--only" ? rest[1] : "";
const views = ["answer", "story", "memory", "layout", "kernel", "rules"];
const folder = mkdtempSync(join(tmpdir(), "explorer-"));
const server = spawn(program, ["explore", "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((found) => server.stdout.once("data", (data) => found(String(data).trim())));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const troubles = [];

/** A page at a state, on which whatever goes wrong is noted. */
async function open(state = {}, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob|file):/.test(url)) troubles.push(`a request to ${url}`);
  });
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(state)) for (const one of [value].flat()) pairs.append(name === "vars" ? "var" : name, one);
  await page.goto(`${address}#${pairs}`);
  await answered(page);
  return page;
}

/** Waits until the view of the present inputs is there. */
async function answered(page) {
  // beyond the time for which the page waits for more keys
  await page.waitForTimeout(120);
  await page.waitForFunction(() => /computed in|saved|error/.test(document.getElementById("status").textContent) && !document.getElementById("result").hasAttribute("aria-busy"));
}

const view = (page) => page.locator("#result");
const checks = {
  async "each example shows its view"() {
    const page = await open();
    const examples = JSON.parse(await page.locator("#examples").textContent());
    assert.equal(examples.length, 12);
    for (const { name, state } of examples) {
      await page.locator("#example").selectOption({ label: name });
      await page.waitForFunction((wanted) => new URLSearchParams(location.hash.slice(1)).get("view") === wanted || wanted === "answer", state.view);
      await answered(page);
      assert.equal(await page.locator('[role=tab][aria-selected="true"]').first().textContent(), state.view[0].toUpperCase() + state.view.slice(1));
      assert.ok((await view(page).textContent()).length > 40, name);
    }
  },

  async "the first screen explains itself"() {
    const page = await open();
    const text = await page.locator("body").innerText();
    for (const label of ["Index", "Ranges", "Conditions", "Views", "Answer", "Type an index"]) assert.ok(text.includes(label), label);
  },

  async "an error is underlined and mended by a click"() {
    const page = await open({ text: "row*4 + col%4", vars: ["row=0..7"] });
    await page.waitForSelector(".cm-lintRange-error");
    await page.getByRole("button", { name: "col=0..1023" }).first().click();
    await answered(page);
    assert.equal(await page.locator(".cm-lintRange-error").count(), 0);
    assert.match(await view(page).textContent(), /instructions/);
    await page.locator("#text .cm-content").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" + <script>alert(1)</script>");
    await page.waitForSelector(".cm-lintRange-error");
    assert.equal(await page.locator("script:not([type]):not(:last-of-type)").count(), 0);
  },

  async "the address holds all inputs"() {
    const state = { view: "memory", text: "t*32 + k", vars: ["t=0..31", "k=0..31"], lane: "t", bytes: "8", "at.k": "3" };
    const page = await open(state);
    const before = await view(page).innerHTML();
    const hash = await page.evaluate(() => location.hash);
    await page.reload();
    await answered(page);
    assert.equal(await page.evaluate(() => location.hash), hash);
    assert.equal((await view(page).textContent()).replace(/\s+/g, ""), (await page.evaluate((html) => {
      const element = document.createElement("div");
      element.innerHTML = html;
      return element.textContent;
    }, before)).replace(/\s+/g, ""));
    assert.match(hash, /at\.k=3/);
  },

  async "a layout is applied to the index"() {
    const page = await open({ view: "memory", text: "t*32 + k", vars: ["t=0..31", "k=0..31"], lane: "t" });
    assert.match(await view(page).textContent(), /32-way bank conflict/);
    await view(page).getByRole("button", { name: "Apply" }).first().click();
    await page.waitForFunction(() => /no bank conflict/.test(document.getElementById("result").textContent));
  },

  async "a slider moves the values of a picture"() {
    const page = await open({ view: "memory", text: "t*k", vars: ["t=0..31", "k=0..32"], lane: "t" });
    await page.locator('input[data-bind="at.k"]').fill("1");
    await page.waitForFunction(() => /no bank conflict/.test(document.getElementById("result").textContent));
    await page.getByRole("button", { name: "Worst values" }).click();
    await page.waitForFunction(() => /32-way bank conflict/.test(document.getElementById("result").textContent));
  },

  async "a rule is switched off"() {
    const page = await open({ view: "rules", text: "x*4 | y", vars: ["x=0..15", "y=0..3"] });
    await page.locator('input[value="or-disjoint"]').uncheck();
    await page.waitForFunction(() => /With all rules and stages/.test(document.getElementById("result").textContent));
  },

  async "steps and classes are chosen"() {
    const page = await open({ view: "story", text: "(i*12 + j)//4%3 + (i*12 + j)//12*3", vars: ["i=0..99", "j=0..11"] });
    const steps = page.locator(".steps > .step");
    assert.ok((await steps.count()) > 2);
    assert.equal(await steps.nth(1).isVisible(), false);
    await page.locator(".steps .step-slider").first().fill("1");
    assert.equal(await steps.nth(1).isVisible(), true);
    const graph = page.locator(".egraph:visible").first();
    await graph.locator('g.class[data-class="1"]').first().click();
    assert.equal(await graph.locator("#class-1").isVisible(), true);
    assert.equal(await graph.locator("#class-0").isVisible(), false);
  },

  async "a large e-graph fits its window"() {
    const text = Array.from({ length: 12 }, (_, n) => `(x + ${n + 2})//${n + 2}*y${n}%${n + 5}`).join(" + ");
    const vars = ["x=0..99999", ...Array.from({ length: 12 }, (_, n) => `y${n}=0..9`)];
    const page = await open({ view: "story", text, vars, effort: "2" });
    const graph = page.locator(".rounds > .step:visible .zoom-window").first();
    const [window, drawing] = [await graph.boundingBox(), await graph.locator("svg").boundingBox()];
    const classes = await graph.locator("g.class").count();
    console.log(`  ${classes} classes`);
    assert.ok(classes > 60);
    assert.ok(drawing.width <= window.width + 1 && drawing.height <= window.height + 1, JSON.stringify([window, drawing]));
  },

  async "a saved page opens without a server"() {
    const page = await open({ text: "x//8%8*8 + x%8", vars: ["x=0..4095"], chain: "shape(2, 3)" });
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as page" }).click()]);
    const file = join(folder, "saved.html");
    await download.saveAs(file);
    assert.ok(readFileSync(file, "utf8").startsWith("<!DOCTYPE html>"));
    const context = await browser.newContext({ offline: true });
    const saved = await context.newPage();
    saved.on("pageerror", (error) => troubles.push(`saved: ${error.message}`));
    saved.on("console", (message) => message.type() === "error" && troubles.push(`saved: ${message.text()}`));
    await saved.goto(`file://${file}`);
    for (const name of views) {
      await saved.getByRole("tab", { name: new RegExp(name, "i") }).first().click();
      const shown = await saved.locator("#result").textContent();
      assert.ok(shown.length > 20, `${name}: ${shown} ${await saved.locator("#status").textContent()}`);
    }
    await context.close();
  },

  async "nothing is wider than a phone"() {
    const page = await open({ text: "x//8%8*8 + x%8 + (x*4096 + x)//4096", vars: ["x=0..4095"], chain: "shape(8, 12).permute(1, 0)" }, { viewport: { width: 360, height: 740 } });
    for (const name of views) {
      await page.getByRole("tab", { name: new RegExp(name, "i") }).first().click();
      await answered(page);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${name}: ${width}`);
    }
  },

  async "ten thousand requests leave the memory where it was"() {
    const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))[1]);
    const state = { text: "t*33 + 3", vars: ["t=0..31"], chain: "shape(2, 3)", lane: "t" };
    const requests = [...views.map((name) => JSON.stringify({ view: name, input: state })), "{", "[]", '{"view": "answer", "input": {"text": "x +"}}', "x".repeat(5000)];
    const ask = (n) => fetch(`${address}api`, { method: "POST", body: requests[n % requests.length] }).then((response) => response.text());
    for (let n = 0; n < 500; n += 1) await ask(n);
    const before = resident();
    for (let n = 0; n < 10_000; n += 1) await ask(n);
    const grown = resident() - before;
    console.log(`  ${before} KiB, and ${grown} KiB more`);
    assert.ok(grown < 0.1 * before + 4096);
  },
};

async function pictures() {
  const examples = JSON.parse(await (await open()).locator("#examples").textContent());
  const of = (name) => examples.find((example) => example.state.view === name);
  for (const name of views.filter((name) => of(name) !== undefined)) {
    const page = await open(of(name).state);
    await page.screenshot({ path: join(screens, `explorer-${name}.png`) });
    await page.close();
  }
}

let failed = 0;
for (const [name, check] of Object.entries(checks).filter(([name]) => name.includes(only))) {
  try {
    await check();
    if (troubles.length > 0) throw new Error(troubles.splice(0).join("; "));
    console.log(`ok      ${name}`);
  } catch (error) {
    failed += 1;
    troubles.length = 0;
    console.log(`failed  ${name}: ${error.message}`);
  }
}
if (screens !== undefined) await pictures();
await browser.close();
server.kill();
rmSync(folder, { recursive: true });
process.exit(failed === 0 ? 0 : 1);
