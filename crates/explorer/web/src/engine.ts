// Access to the engine: over HTTP, or as WebAssembly in this page. A saved page has only saved responses.

import { embedded } from "./embedded.ts";
import { absent, bounded, Failure, ofStatus } from "./failure.ts";
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
  /**
   * The question as a shell command and as a Python program. If a text is empty, the next field may have the reason.
   */
  command: string;
  command_why?: string;
  python: string;
  python_why?: string;
}

export interface Engine {
  ask(request: Request): Promise<Response>;
}

/** The contents of a saved page. */
export interface Saved {
  state: Partial<State>;
  view?: View;
  responses: Partial<Record<View, Response>>;
}

/** An engine in this page, such as one in WebAssembly. */
export interface Local {
  /** The response to a request. If `signal` aborts earlier, the response is not needed. */
  respond(json: string, signal: AbortSignal): string | Promise<string>;
}

declare global {
  interface Window {
    quaffEngine?: Local | Promise<Local>;
  }
}

export const saved = embedded<Saved>("saved");

/** Opens a connection to the engine. A new request cancels the previous request of the same connection. */
export function openEngine(): Engine {
  if (saved !== undefined) return new SavedEngine(saved);
  return window.quaffEngine === undefined ? new HttpEngine() : new LocalEngine(window.quaffEngine);
}

class HttpEngine implements Engine {
  private running: AbortController | undefined;

  async ask(request: Request): Promise<Response> {
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    const body = bounded(request);
    const headers = { "content-type": "application/json" };
    const response = await fetch("api", { method: "POST", headers, body, signal }).catch((error) => {
      throw signal.aborted ? error : new Failure(absent);
    });
    if (!response.ok) throw ofStatus(response.status);
    return complete(await response.json());
  }
}

class LocalEngine implements Engine {
  private running: AbortController | undefined;

  constructor(private readonly engine: Local | Promise<Local>) {}

  async ask(request: Request): Promise<Response> {
    this.running?.abort();
    const { signal } = (this.running = new AbortController());
    const body = bounded(request);
    // The page must be painted first, because an engine may block the thread of the page.
    await new Promise((resolve) => setTimeout(resolve));
    return complete(JSON.parse(await (await this.engine).respond(body, signal)));
  }
}

class SavedEngine implements Engine {
  constructor(private readonly saved: Saved) {}

  async ask({ view }: Request): Promise<Response> {
    const response = this.saved.responses[view];
    if (response === undefined) throw new Failure("This view was not saved.");
    return complete(response);
  }
}

/** Fills missing fields of a response with empty values. */
function complete(response: Partial<Response>): Response {
  return { html: "", problems: [], variables: [], command: "", python: "", ...response };
}
