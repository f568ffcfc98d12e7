// Sends requests to the engine soon after the last edit. Only the response to the latest request is used.

import type { Engine, Request, Response } from "./engine.ts";

export interface Hooks {
  request(): Request;
  /** Called when a request starts. */
  started(): void;
  /** Called when a request takes so long that the reader needs a sign of progress. */
  slow(): void;
  done(request: Request, response: Response, milliseconds: number): void;
  failed(error: unknown): void;
}

const DEBOUNCE = 40;
const SLOW = 300;

export class Asking {
  private latest = 0;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private slowly: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly hooks: Hooks,
  ) {}

  soon(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => void this.now(), DEBOUNCE);
  }

  async now(): Promise<void> {
    clearTimeout(this.waiting);
    clearTimeout(this.slowly);
    const own = ++this.latest;
    const request = this.hooks.request();
    const start = performance.now();
    this.hooks.started();
    this.slowly = setTimeout(() => this.hooks.slow(), SLOW);
    try {
      const response = await this.engine.ask(request);
      if (own !== this.latest) return;
      clearTimeout(this.slowly);
      this.hooks.done(request, response, performance.now() - start);
    } catch (error) {
      if (own !== this.latest) return;
      clearTimeout(this.slowly);
      this.hooks.failed(error);
    }
  }
}
