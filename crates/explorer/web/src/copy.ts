// Buttons that copy a text.

import { announce, closest, nearest } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

export const copying: Behaviour = {
  listen(document) {
    document.addEventListener("click", (event) => {
      const button = closest(event, "button[data-copy]");
      if (button !== null) void copyFrom(button);
    });
  },
};

async function copyFrom(button: HTMLElement): Promise<void> {
  const selector = button.dataset.copy ?? "";
  const source = selector === "" ? preBefore(button) : nearest(button, selector);
  if (source !== null) await copyText(source.textContent ?? "", button);
}

/** Copies the text. The button confirms this for a second. */
export async function copyText(text: string, button: HTMLElement): Promise<void> {
  const said = (await write(text)) ? "copied" : "not copied";
  announce(said);
  const label = (button.dataset.label ??= button.textContent ?? "");
  button.textContent = said;
  setTimeout(() => {
    if (button.textContent === said) button.textContent = label;
    delete button.dataset.label;
  }, 1000);
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeByCommand(text);
  }
}

/** Copies with the older method, for pages that may not use the clipboard interface. */
function writeByCommand(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "quaff-unseen";
  (focused?.closest("dialog") ?? document.body).append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}

/** The nearest `pre` before an element. */
function preBefore(element: Element): Element | null {
  for (let around: Element | null = element; around !== null; around = around.parentElement) {
    for (let before = around.previousElementSibling; before !== null; before = before.previousElementSibling) {
      if (before.matches("pre")) return before;
      const inside = [...before.querySelectorAll("pre")].pop();
      if (inside !== undefined) return inside;
    }
  }
  return null;
}
