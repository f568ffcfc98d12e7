// Shows the state as a command or as a Python program.

import { byId } from "./dom.ts";

/**
 * Makes a button open the dialog. Returns a function that sets the text. If the text is "", the button is
 * disabled, and its tip shows the reason `why`, or `usual` if there is none.
 */
export function textDialog(button: HTMLButtonElement, title: string, usual: string): (text: string, why?: string) => void {
  const dialog = byId<HTMLDialogElement>("text-dialog");
  let current = "";
  button.addEventListener("click", () => {
    if (current === "") return;
    byId("text-dialog-head").textContent = title;
    byId("text-dialog-text").textContent = current;
    dialog.showModal();
  });
  const show = (text: string, why = "") => {
    current = text;
    explain(button, text === "" ? why || usual : undefined);
  };
  show("", "There is no answer yet.");
  return show;
}

/**
 * Disables a button and gives the reason. The button keeps its focus and its tip, so every reader can reach the reason.
 */
function explain(button: HTMLButtonElement, why: string | undefined): void {
  if (why === undefined) {
    for (const name of ["aria-disabled", "aria-description", "data-tip"]) button.removeAttribute(name);
    return;
  }
  button.setAttribute("aria-disabled", "true");
  button.setAttribute("aria-description", why.replace(/`/g, ""));
  button.dataset.tip = why;
}

export function startDialog(): void {
  const dialog = byId<HTMLDialogElement>("text-dialog");
  byId("text-dialog-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}
