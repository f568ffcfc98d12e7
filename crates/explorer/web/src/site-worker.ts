// The worker of a site. It loads the engine, and answers one request after the other.

export type Task = { module: WebAssembly.Module } | { json: string };
export type Answer = { response: string } | { error: string };

declare function importScripts(...addresses: string[]): void;
/** The interface that wasm-bindgen generates. */
declare const wasm_bindgen: {
  initSync(source: { module: WebAssembly.Module }): unknown;
  respond(json: string): string;
};

importScripts("bindings.js");

addEventListener("message", ({ data }: MessageEvent<Task>) => {
  if ("module" in data) {
    wasm_bindgen.initSync(data);
    return;
  }
  let answer: Answer;
  try {
    answer = { response: wasm_bindgen.respond(data.json) };
  } catch (error) {
    answer = { error: error instanceof Error ? error.message : String(error) };
  }
  postMessage(answer);
});
