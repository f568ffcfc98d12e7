// The main module of the explorer: it connects the inputs and the views with the engine.

import { download, savedPage } from "./delivered.ts";
import { Address } from "./address.ts";
import { Applied } from "./applied.ts";
import { Asking } from "./asking.ts";
import { bind, type Store } from "./bind.ts";
import type { Choices } from "./choices.ts";
import { copyText } from "./copy.ts";
import { startDialog, textDialog } from "./dialog.ts";
import { byId, closest } from "./dom.ts";
import { embedded } from "./embedded.ts";
import { beginning } from "./empty.ts";
import { openEngine, type Request, type Response, saved } from "./engine.ts";
import { why } from "./failure.ts";
import { first, startExamples } from "./examples.ts";
import { Form } from "./form.ts";
import { graft } from "./graft.ts";
import { initialise } from "./parts.ts";
import { Place } from "./place.ts";
import { fresh, fromFragment, merge, sent, type State, toFragment, type View, views } from "./state.ts";
import { Status } from "./status.ts";
import { ViewTabs } from "./tabs-of-views.ts";
import { startTheme } from "./theme.ts";

const fixed = saved !== undefined;
const output = byId("result");

function start(): { state: State; view: View } {
  const asked = fromFragment(location.hash);
  if (saved !== undefined) return { state: merge(fresh(), saved.state), view: asked?.view ?? saved.view ?? "answer" };
  return asked ?? first();
}

/** Without a state in the address, the page shows the first example. */
const byExample = !fixed && fromFragment(location.hash) === undefined;

let { state, view } = start();
/** The state that the current request is about. */
let asked = state;

const store: Store = {
  state: () => state,
  change(next, nextView) {
    const undone = applied.undoneBy(next);
    applied.forget();
    if (undone !== undefined) return go(undone.state, undone.view);
    if (nextView !== undefined) return go(next, nextView);
    if (next.text !== state.text) forgetExample();
    state = next;
    form.show(state, view);
    address.follow();
    asking.soon();
  },
  apply(next, nextView = view) {
    const before = { state, view };
    go(next, nextView);
    applied.offer(before, state);
  },
};

const form = new Form(store, embedded<Choices>("choices") ?? {}, fixed);
const status = new Status(() => void asking.now());
const applied = new Applied((before) => {
  go(before.state, before.view);
  form.focus();
});
const tabs = new ViewTabs((next) => {
  if (next !== view) go(state, next);
});
const place = new Place(output);
const address = new Address(
  () => toFragment(view, fixed ? fresh() : state) + place.text(),
  (fragment) => {
    const next = fromFragment(fragment);
    if (next === undefined) return;
    place.read(fragment);
    view = next.view;
    if (!fixed) state = next.state;
    forgetExample();
    applied.forget();
    refresh();
  },
);
const showCommand = textDialog(byId("show-command"), "As command", "The command line has no such question.");
const showPython = textDialog(byId("show-python"), "As Python", "The Python package has no such question.");

const asking = new Asking(openEngine(), {
  request: () => {
    asked = state;
    return { view, input: sent(state) };
  },
  started: () => status.started(),
  slow: () => status.slow(),
  done: show,
  failed: (error) => {
    status.failed(why(error));
  },
});

/** Goes to a state and a view. "Back" returns to the current state and view. */
function go(next: State, nextView: View): void {
  if (next.text !== state.text) forgetExample();
  address.push(() => {
    state = next;
    view = nextView;
  });
  refresh();
}

function refresh(): void {
  tabs.show(view);
  form.show(state, view);
  void asking.now();
}

function show(request: Request, response: Response, milliseconds: number): void {
  const other = output.dataset.view !== request.view;
  output.dataset.view = request.view;
  if (other) output.replaceChildren();
  const broken = response.html === "" && response.problems.some(({ severity }) => severity === "error");
  const stale = broken && output.hasChildNodes() && output.querySelector(".beginning") === null;
  output.classList.toggle("stale", stale);
  const isEmpty = response.html === "" && !broken && asked.text.trim() === "";
  if (isEmpty) output.replaceChildren(beginning(fixed));
  else if (!stale) graft(output, response.html, () => initialise(output));
  if (fixed) for (const control of output.querySelectorAll("[data-bind], [data-bind-list]")) control.setAttribute("disabled", "");
  if (!stale) place.settle();
  form.showResponse(asked, view, response.variables, response.problems);
  showCommand(response.command, response.command_why);
  showPython(response.python, response.python_why);
  if (broken && !stale) status.done("The input has an error.");
  else if (stale) status.done("The input has an error; below is the answer before it.");
  else status.done(fixed ? "saved" : `computed in ${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`);
}

/** Requests all views, and saves the page with the responses. */
async function save(button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  const engine = openEngine();
  const input = sent(state);
  try {
    const responses: Partial<Record<View, Response>> = {};
    for (const each of views) responses[each] = await engine.ask({ view: each, input });
    download("quaff-explorer.html", savedPage({ state: input, view, responses }));
  } catch (error) {
    status.failed(`The page was not saved. ${why(error)}`);
  } finally {
    button.disabled = false;
  }
}

/** Scrolls to the target of a link within the page. The address keeps the state. */
function followInPage(event: MouseEvent): void {
  const link = closest<HTMLAnchorElement>(event, 'a[href^="#"]');
  const name = link?.getAttribute("href")?.slice(1) ?? "";
  if (link === null || event.defaultPrevented || fromFragment(name) !== undefined) return;
  event.preventDefault();
  const target = document.getElementById(name);
  target?.scrollIntoView();
  target?.focus({ preventScroll: true });
}

place.read(location.hash);
if (!fixed) document.documentElement.classList.add("quaff-live");
byId("frozen").hidden = !fixed;
byId<HTMLSelectElement>("example").disabled = fixed;
startTheme(byId("theme"));
startDialog();
const forgetExample = startExamples(store, byExample);
bind(output, store);
document.addEventListener("click", followInPage);
output.addEventListener("step", () => address.follow());
byId("copy-link").addEventListener("click", ({ currentTarget }) => {
  address.replace();
  void copyText(location.href, currentTarget as HTMLElement);
});
byId("save-page").addEventListener("click", ({ currentTarget }) => void save(currentTarget as HTMLButtonElement));
initialise(document);
refresh();
if (!fixed) address.replace();
