// Shows the command, or the Python program, of the state.

import { byId } from "./dom.ts";

/** Opens the dialog from a button; the result sets the text, "" where there is none. */
export function textDialog(button: HTMLButtonElement, title: string): (text: string) => void {
  const dialog = byId<HTMLDialogElement>("text-dialog");
  let current = "";
  button.disabled = true;
  button.addEventListener("click", () => {
    byId("text-dialog-head").textContent = title;
    byId("text-dialog-text").textContent = current;
    dialog.showModal();
  });
  return (text) => {
    current = text;
    button.disabled = text === "";
  };
}

export function startDialog(): void {
  const dialog = byId<HTMLDialogElement>("text-dialog");
  byId("text-dialog-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}
