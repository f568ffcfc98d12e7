// The engine: over HTTP, in this page as WebAssembly, or its saved responses.

import { embedded } from "./embedded.ts";
import type { State, View } from "./state.ts";

export interface Request {
  view: View;
  input: Partial<State>;
}

export interface Fix {
  label: string;
  set: Partial<State>;
}

export interface Problem {
  field: string;
  line: number;
  from: number;
  to: number;
  severity: "error" | "warning";
  message: string;
  help: string;
  fixes: Fix[];
}

export interface Variable {
  name: string;
  text: string;
  low: number | null;
  high: number | null;
}

export interface Response {
  html: string;
  problems: Problem[];
  variables: Variable[];
  command: string;
  python: string;
}

export interface Engine {
  ask(request: Request): Promise<Response>;
}

/** What a saved page has in it. */
export interface Saved {
  state: Partial<State>;
  view?: View;
  responses: Partial<Record<View, Response>>;
}

/** An engine in this page, such as one in WebAssembly. */
export interface Local {
  respond(json: string): string | Promise<string>;
}

declare global {
  interface Window {
    quaffEngine?: Local | Promise<Local>;
  }
}

export const saved = embedded<Saved>("saved");

/** A new connection; each drops only its own requests. */
export function openEngine(): Engine {
  if (saved !== undefined) return new SavedEngine(saved);
  return window.quaffEngine === undefined ? new HttpEngine() : new LocalEngine(window.quaffEngine);
}

class HttpEngine implements Engine {
  private running: AbortController | undefined;

  async ask(request: Request): Promise<Response> {
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    const headers = { "content-type": "application/json" };
    const response = await fetch("api", { method: "POST", headers, body: JSON.stringify(request), signal });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return complete(await response.json());
  }
}

class LocalEngine implements Engine {
  constructor(private readonly engine: Local | Promise<Local>) {}

  async ask(request: Request): Promise<Response> {
    // The page is painted first: the call below keeps the page's thread.
    await new Promise((resolve) => setTimeout(resolve));
    return complete(JSON.parse(await (await this.engine).respond(JSON.stringify(request))));
  }
}

class SavedEngine implements Engine {
  constructor(private readonly saved: Saved) {}

  async ask({ view }: Request): Promise<Response> {
    const response = this.saved.responses[view];
    if (response === undefined) throw new Error("this view was not saved");
    return complete(response);
  }
}

/** Fields that a response lacks are empty. */
function complete(response: Partial<Response>): Response {
  const { html = "", problems = [], variables = [], command = "", python = "" } = response;
  return { html, problems, variables, command, python };
}
