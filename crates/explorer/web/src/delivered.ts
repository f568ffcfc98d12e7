// A copy of the page as it was delivered, which is needed to save the page with responses. This module is loaded before
// the page changes.

import type { Saved } from "./engine.ts";

const delivered = document.documentElement.cloneNode(true) as HTMLElement;

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** The text of the page with `saved` in it. The saved page needs no engine. */
export function savedPage(saved: Saved): string {
  const page = delivered.cloneNode(true) as HTMLElement;
  for (const engine of page.querySelectorAll("script[src]")) engine.remove();
  const data = document.createElement("script");
  data.type = "application/json";
  data.id = "saved";
  data.textContent = JSON.stringify(saved).replace(/</g, "\\u003c");
  const scripts = [...page.querySelectorAll("script")].filter((script) => script.type === "" || script.type === "text/javascript");
  const last = scripts[scripts.length - 1];
  if (last === undefined) page.querySelector("body")?.append(data);
  else last.before(data);
  const charset = page.querySelector("meta[charset]");
  if (page.querySelector("meta[http-equiv]") === null && charset !== null) {
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    policy.content = POLICY;
    charset.after(policy);
  }
  return `<!DOCTYPE html>\n${page.outerHTML}\n`;
}

export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/html" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
