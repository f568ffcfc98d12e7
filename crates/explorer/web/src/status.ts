// Shows whether a request runs, and its outcome.

import { byId } from "./dom.ts";
import { prose } from "./prose.ts";

export class Status {
  private readonly line = byId("status");
  private readonly result = byId("result");
  private readonly spinner = byId("spinner");

  constructor(again: () => void) {
    byId("again").addEventListener("click", again);
  }

  started(): void {
    this.result.classList.add("busy");
    this.result.setAttribute("aria-busy", "true");
  }

  slow(): void {
    this.spinner.hidden = false;
    this.line.textContent = "computing …";
  }

  done(text: string): void {
    this.stop(text, false);
  }

  failed(text: string): void {
    this.stop(text, true);
  }

  private stop(text: string, failed: boolean): void {
    this.result.classList.remove("busy");
    this.result.removeAttribute("aria-busy");
    this.spinner.hidden = true;
    this.line.replaceChildren(...prose(text));
    this.line.classList.toggle("failed", failed);
    byId("again").hidden = !failed;
  }
}
