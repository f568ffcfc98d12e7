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
import { lowContrasts } from "./contrast.mjs";

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
const hashOf = (page) => page.evaluate(() => location.hash);
const textOf = (page) => page.locator("#text .cm-content").innerText();
const examplesOf = async (page) => JSON.parse(await page.locator("#examples").textContent());

/** Changes each response of the engine before the page has it. */
async function changed(page, change) {
  await page.route("**/api", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(await response.json()) });
  });
}

/** The number of the colour of each word in the editor of the index: words of one kind have the same. */
async function coloursOf(page) {
  return page.evaluate(() => {
    const spans = [...document.querySelectorAll("#text .cm-line span")].filter((span) => span.children.length === 0);
    return Object.fromEntries(spans.map((span) => [span.textContent, getComputedStyle(span).color]));
  });
}
const checks = {
  async "each example shows its view"() {
    const page = await open();
    const examples = await examplesOf(page);
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
    await view(page).getByRole("button", { name: "Search layouts and schedules" }).click();
    await answered(page);
    assert.match(await page.evaluate(() => location.hash), /search=true/);
    await view(page).getByRole("button", { name: "Apply" }).first().click();
    await page.waitForFunction(() => /no bank conflict/.test(document.getElementById("result").textContent));
    // the index before is beside it, also in a copied link
    await page.reload();
    await answered(page);
    assert.match(await view(page).textContent(), /The index was.*32-way bank conflict.*no bank conflict/s);
    await view(page).getByRole("button", { name: "Hide the index before" }).click();
    await answered(page);
    assert.doesNotMatch(await view(page).textContent(), /32-way bank conflict/);
  },

  async "a schedule is one step, and it can be taken back"() {
    const state = { view: "memory", text: "i%32*64 + i//32", vars: ["i=0..2047"], assume: ["i < 2000"], lane: "i", search: "true" };
    const page = await open(state);
    const before = await hashOf(page);
    const conditions = () => page.locator(".condition").evaluateAll((fields) => fields.map((field) => field.value));
    const isBefore = async (how) => {
      await page.waitForFunction((hash) => location.hash === hash, before);
      await answered(page);
      assert.deepEqual([await textOf(page), await conditions()], [state.text, state.assume], how);
    };
    const apply = async () => {
      await view(page).getByRole("button", { name: "Apply" }).last().click();
      await page.waitForFunction((hash) => location.hash !== hash, before);
      await answered(page);
      assert.notEqual(await textOf(page), state.text);
      assert.notDeepEqual(await conditions(), state.assume);
      assert.match(await page.locator("#applied").innerText(), /index, conditions/);
    };
    await apply();
    const after = await hashOf(page);
    await page.goBack();
    await isBefore("back");
    assert.equal(await page.locator("#applied").isVisible(), false);
    await page.goForward();
    await page.waitForFunction((hash) => location.hash === hash, after);
    await page.goBack();
    await isBefore("back again");
    await apply();
    await page.getByRole("button", { name: "Undo" }).click();
    await isBefore("the button");
    assert.equal(await page.locator("#applied").isVisible(), false);
    await apply();
    await page.locator("#text .cm-content").click();
    await page.keyboard.press("Control+z");
    await isBefore("the editor");
  },

  async "a failure says what to do"() {
    const page = await open({ text: "x//8" , vars: ["x=0..99"] });
    const status = async (wanted) => {
      await page.waitForFunction((text) => document.getElementById("status").textContent.includes(text), wanted);
      assert.doesNotMatch(await page.locator("#status").innerText(), /gave no answer|Failed to fetch/);
    };
    await page.evaluate(() => { location.hash = `view=kernel&text=${"x".repeat(300_000)}`; });
    await status("The input has 294 KiB, and the engine takes at most 256 KiB.");
    assert.deepEqual(troubles, []);
    await page.evaluate(() => { location.hash = "view=answer&text=x"; });
    await answered(page);
    for (const [code, wanted] of [[403, "Open the address"], [413, "Shorten it"], [500, "terminal"], [418, "418"]]) {
      await page.unroute("**/api");
      await page.route("**/api", (route) => route.fulfill({ status: code, body: "" }));
      await page.locator("#text .cm-content").press("1");
      await status(wanted);
    }
    await page.unroute("**/api");
    await page.route("**/api", (route) => route.abort());
    await page.locator("#text .cm-content").press("1");
    await status("Start quaff explore again");
    // The browser itself logs such failures.
    troubles.length = 0;
  },

  async "an empty index has a beginning"() {
    const page = await open({ view: "answer", text: "", effort: "2" });
    assert.match(await view(page).innerText(), /Type an index/);
    const links = view(page).getByRole("link");
    assert.equal(await links.count(), 12);
    await links.nth(7).click();
    await page.waitForFunction(() => /Shared memory/.test(document.getElementById("result").textContent));
    await page.goBack();
    await page.waitForFunction(() => /Type an index/.test(document.getElementById("result").textContent));
    await page.locator("#text .cm-content").pressSequentially("a +");
    await page.waitForSelector("#text-problems li");
    assert.doesNotMatch(await view(page).innerText(), /Type an index/);
  },

  async "the focus goes to the place of a fix"() {
    const page = await open({ text: "row*4 + col%4", vars: ["row=0..7"] });
    const rest = () => page.evaluate(() => {
      const selection = getSelection();
      const range = document.createRange();
      const content = document.querySelector("#text .cm-content");
      range.setStart(content, 0);
      range.setEnd(selection.focusNode, selection.focusOffset);
      return document.activeElement === content ? range.toString() : document.activeElement.outerHTML;
    });
    await page.locator("#text-problems").getByRole("button", { name: "col=0..1023" }).click();
    await answered(page);
    assert.equal(await rest(), "row*4 + col");
    await page.getByRole("button", { name: "Undo" }).click();
    await answered(page);
    assert.equal(await page.evaluate(() => document.activeElement.matches("#text .cm-content")), true);
    assert.equal(await page.locator("#text-problems li").count(), 1);
  },

  async "a grey button gives its reason"() {
    const page = await open({ text: "x//8", vars: ["x=0..99"] });
    const command = page.locator("#show-command");
    assert.equal(await command.getAttribute("aria-disabled"), null);
    await changed(page, (response) => ({ ...response, command: "", command_why: "no option for `<b>rules</b>`", python: "" }));
    await page.locator("#text .cm-content").press("End");
    await page.keyboard.type("1");
    await answered(page);
    const tip = page.locator("#quaff-tip");
    await command.focus();
    assert.equal(await tip.innerText(), "no option for <b>rules</b>");
    assert.equal(await tip.locator("code").innerText(), "<b>rules</b>");
    assert.equal(await command.getAttribute("aria-description"), "no option for <b>rules</b>");
    await command.click({ force: true });
    assert.equal(await tip.isVisible(), true);
    assert.equal(await page.locator("dialog[open]").count(), 0);
    await page.locator("#show-python").hover();
    assert.match(await tip.innerText(), /no such question/);
    // The focus scrolls to the button, and its reason comes along.
    await page.setViewportSize({ width: 360, height: 400 });
    await page.locator("#options summary").focus();
    await command.focus();
    await page.waitForTimeout(200);
    assert.ok(await tip.isVisible());
    const [above, below] = [await command.boundingBox(), await tip.boundingBox()];
    assert.ok(Math.abs(below.y - above.y - above.height) < 40, JSON.stringify([above, below]));
  },

  async "a cell says what is in it"() {
    const page = await open({ view: "layout", chain: "shape(2, 3).pad((1, 0), (0, 0))" });
    const line = view(page).locator(".tip-line");
    const cells = view(page).locator(".grid-drawing g[data-tip]");
    assert.equal(await line.getAttribute("aria-live"), "polite");
    await cells.nth(4).hover();
    assert.equal(await line.innerText(), "index (1, 1): address 1, not masked, lane 4");
    await cells.nth(0).click();
    assert.equal(await line.innerText(), "index (0, 0): masked, nothing is read, lane 0");
    await view(page).locator(".zoom-window").focus();
    await page.keyboard.press("Tab");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    assert.equal(await line.innerText(), "index (2, 1): address 4, not masked, lane 7");
    await page.goto(`${address}#view=memory&text=t*32&var=t%3D0..31&lane=t`);
    await answered(page);
    await view(page).locator(".bank-drawing g[data-tip]").nth(1).hover();
    assert.match(await view(page).locator(".tip-line").first().innerText(), /^bank 0, word 32: lane 1$/);
  },

  async "code between backticks is code"() {
    const page = await open();
    for (const example of await examplesOf(page)) {
      await page.locator("#example").selectOption({ label: example.name });
      await answered(page);
      assert.doesNotMatch(await page.locator("body").innerText(), /`/, example.name);
    }
    const problem = { field: "", line: 0, from: 0, to: 0, severity: "error", message: "no `<script>alert(1)</script>`", help: "see `a<b`", fixes: [] };
    const html = "<p>A name is `&lt;i&gt;x&lt;/i&gt;`.</p><pre>`as it is`</pre>";
    await changed(page, (response) => ({ ...response, html, problems: [problem] }));
    await page.goto(`${address}#view=answer&text=x`);
    await answered(page);
    assert.deepEqual(await page.locator("#problems code").allInnerTexts(), ["<script>alert(1)</script>", "a<b"]);
    assert.deepEqual(await view(page).locator("code").allInnerTexts(), ["<i>x</i>"]);
    assert.equal(await view(page).locator("pre").innerText(), "`as it is`");
  },

  async "kinds of words have colours"() {
    const different = async (state, ...words) => {
      const page = await open(state);
      const colours = await coloursOf(page);
      const own = words.map((word) => colours[word]);
      assert.equal(new Set(own).size, words.length, `${words} in ${JSON.stringify(colours)}`);
      assert.ok(!own.includes(undefined), JSON.stringify(colours));
      await page.close();
    };
    await different({ text: "i//32 and j" }, "32", "//", "and");
    await different({ view: "kernel", from: "cuda", text: "// 1 and 2\nint f(int i) {\n  return i / 32; /* x\n y */\n}" }, "// 1 and 2", "int", "/", "32");
    await different({ view: "kernel", from: "triton", text: "def f(x):  # 3\n  return x + 32 * len('a')" }, "# 3", "def", "+", "32", "'a'");
    await different({ view: "kernel", text: '{"vars": {"i": [0, 7]}, "accesses": [{"expr": "i//2", "buf": "in"}]}' }, '"vars"', '"i//2"', "7");
    await different({ from: "mlir", text: "affine_map<(d0) -> (d0 mod 8)>" }, "mod", "8");
  },

  async "all text can be read in light and in dark"() {
    for (const colorScheme of ["light", "dark"]) {
      const page = await open({}, { colorScheme });
      const readable = async (what) => assert.deepEqual(await page.evaluate(lowContrasts), [], `${colorScheme}: ${what}`);
      for (const { name } of await examplesOf(page)) {
        await page.locator("#example").selectOption({ label: name });
        await answered(page);
        await readable(name);
      }
      const others = [
        "view=answer&effort=2", "view=answer&text=row+%2B+col&var=row%3D0..7&assume=row+%3C", "view=layout&chain=(8,16):(16,1)",
        "view=rules&text=x*4+%7C+y&var=x%3D0..15&var=y%3D0..3", "view=answer&text=x//8+%2B&var=x%3D0..9",
      ];
      for (const fragment of others) {
        await page.goto(`${address}#${fragment}`);
        await answered(page);
        await readable(fragment);
      }
      await page.locator("#result").evaluate((result) => result.classList.add("busy"));
      await readable("busy");
      await page.close();
    }
  },

  async "a fragment can be read in an editor of any scheme"() {
    const style = readFileSync(new URL("../../draw/src/built/parts.css", import.meta.url), "utf8");
    const fragment = `<div class="quaff notebook"><style>${style}</style><h2>Answer</h2><p class="muted">grey</p><a href="#">link</a><pre>x</pre></div>`;
    const around = ["", "background: #1e1e1e; color: #d4d4d4", "background: #fff; color: #000"];
    const page = await open();
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      for (const body of around) {
        await page.setContent(`<body style="${body}">${fragment}</body>`);
        assert.deepEqual(await page.evaluate(lowContrasts), [], `${colorScheme}: ${body}`);
      }
      for (const [attributes, isDark] of [['class="vscode-dark"', true], ['class="vscode-light"', false], ['data-jp-theme-light="false"', true]]) {
        await page.setContent(`<body ${attributes}>${fragment}</body>`);
        const paper = await page.locator(".quaff").evaluate((root) => getComputedStyle(root).backgroundColor);
        assert.equal(paper, isDark ? "rgb(20, 24, 29)" : "rgb(255, 255, 255)", `${colorScheme}: ${attributes}`);
      }
    }
  },

  async "an access of a kernel leads to its memory view"() {
    const page = await open();
    await page.locator("#example").selectOption({ label: "A kernel in its loops" });
    await page.waitForFunction(() => /In its loops/.test(document.getElementById("result").textContent));
    await view(page).getByRole("button", { name: "Memory" }).nth(1).click();
    await page.waitForFunction(() => /Shared memory/.test(document.getElementById("result").textContent));
    assert.match(await page.evaluate(() => location.hash), /view=memory.*access=1/);
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

  async "a link leads to its step and its round"() {
    const state = { view: "story", text: "(i*12 + j)//4%3 + (i*12 + j)//12*3", vars: ["i=0..99", "j=0..11"] };
    const page = await open({ ...state, step: "2", round: "all" });
    assert.equal(await page.locator(".steps > .step").nth(1).isVisible(), true);
    assert.equal(await page.locator(".rounds > .step").nth(0).isVisible(), true);
    await page.locator(".steps .step-slider").first().fill("2");
    await page.waitForFunction(() => /&step=3&round=all$/.test(location.hash));
  },

  async "zooming keeps the selected class in the window"() {
    const page = await open({ view: "story", text: "(i*12 + j)//4%3 + (i*12 + j)//12*3", vars: ["i=0..99", "j=0..11"] });
    const graph = page.locator(".egraph:visible").first();
    for (let n = 0; n < 4; n += 1) await graph.getByRole("button", { name: "zoom in" }).click();
    const [window, chosen] = [await graph.locator(".zoom-window").boundingBox(), await graph.locator("g.class.selected").first().boundingBox()];
    const [x, y] = [chosen.x + chosen.width / 2, chosen.y + chosen.height / 2];
    assert.ok(x > window.x && x < window.x + window.width && y > window.y && y < window.y + window.height, JSON.stringify([window, chosen]));
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
    const page = await open({ text: "x//8%8*8 + x%8 + (x*4096 + x)//4096", vars: ["x=0..65535 step 4"], chain: "shape(8, 12).permute(1, 0)" }, { viewport: { width: 360, height: 740 } });
    for (const name of views) {
      await page.getByRole("tab", { name: new RegExp(name, "i") }).first().click();
      await answered(page);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${name}: ${width}`);
    }
    const clipped = await page.locator("#vars input.range").evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
    assert.equal(clipped, 0);
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
