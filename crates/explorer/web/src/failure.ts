// Sentences for the reader about requests that have no answer.

/** The most bytes of a request that the engine takes. */
const MOST = 256 * 1024;

/** The reason why there is no answer, as whole sentences. */
export class Failure extends Error {}

export const absent = "The server does not answer. Start `quaff explore` again and open its new address.";

const byStatus: Record<number, string> = {
  403: "The server does not know this page. Open the address that `quaff explore` printed.",
  404: "The server does not know this page. Open the address that `quaff explore` printed.",
  408: "The request did not arrive in time. Try again.",
  413: `The input is larger than the ${size(MOST)} that the engine takes. Shorten it.`,
  500: "The engine failed at this input. The terminal of `quaff explore` shows more.",
  503: absent,
};

export function ofStatus(status: number): Failure {
  return new Failure(byStatus[status] ?? `The server refused the request with the status ${status} of HTTP. Try again.`);
}

/** The request as JSON. It throws if the request is too long for the engine. */
export function bounded(request: unknown): string {
  const json = JSON.stringify(request);
  const bytes = new TextEncoder().encode(json).length;
  if (bytes <= MOST) return json;
  const what = `The input has ${size(bytes)}, and the engine takes at most ${size(MOST)}.`;
  throw new Failure(`${what} Shorten it, or split it into several. A source file of this size is for \`quaff rewrite FILE\`.`);
}

function size(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}

/** The reason why there is no answer. After an unexpected error, the text also says that the input is kept. */
export function why(error: unknown): string {
  if (error instanceof Failure) return error.message;
  return `The engine gave no answer (${error instanceof Error ? error.message : error}). The input is kept.`;
}
