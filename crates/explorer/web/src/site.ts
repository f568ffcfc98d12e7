// The engine of a site without a server: WebAssembly in a worker, so that the page stays responsive while a request is
// answered.

import type { Local } from "./engine.ts";
import type { Answer, Task } from "./site-worker.ts";

interface Job {
  json: string;
  resolve(response: string): void;
  reject(error: Error): void;
}

const base = (document.currentScript as HTMLScriptElement).src;

class WorkerEngine implements Local {
  private readonly module = fetch(new URL("engine.wasm", base))
    .then((response) => {
      if (!response.ok) throw new Error(`the file engine.wasm was not loaded: HTTP answered ${response.status}`);
      return response.arrayBuffer();
    })
    .then((bytes) => WebAssembly.compile(bytes));
  private worker: Worker | undefined;
  private readonly waiting: Job[] = [];
  private running: Job | undefined;

  constructor() {
    // Each request reports this error, so it is ignored here.
    this.module.catch(() => undefined);
  }

  async respond(json: string, signal: AbortSignal): Promise<string> {
    const module = await this.module;
    return new Promise((resolve, reject) => {
      const job: Job = { json, resolve, reject };
      signal.addEventListener("abort", () => this.drop(job, module));
      this.waiting.push(job);
      this.next(module);
    });
  }

  private next(module: WebAssembly.Module): void {
    if (this.running !== undefined) return;
    this.running = this.waiting.shift();
    if (this.running === undefined) return;
    this.worker ??= this.started(module);
    this.worker.postMessage({ json: this.running.json } satisfies Task);
  }

  private started(module: WebAssembly.Module): Worker {
    const worker = new Worker(new URL("worker.js", base));
    worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      const job = this.running;
      this.running = undefined;
      if ("response" in data) {
        job?.resolve(data.response);
      } else {
        // The memory of a failed engine may be corrupt, so its worker is ended.
        this.end();
        job?.reject(new Error(data.error));
      }
      this.next(module);
    });
    worker.postMessage({ module } satisfies Task);
    return worker;
  }

  private drop(job: Job, module: WebAssembly.Module): void {
    const at = this.waiting.indexOf(job);
    if (at >= 0) this.waiting.splice(at, 1);
    if (this.running === job) {
      this.running = undefined;
      this.end();
      this.next(module);
    }
    job.reject(new Error("another request came first"));
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = undefined;
  }
}

window.quaffEngine = new WorkerEngine();
