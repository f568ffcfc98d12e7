// Sentences with code between backticks.

import { make } from "./dom.ts";

/** The text, with what stands between backticks as code. */
export function prose(text: string): (string | HTMLElement)[] {
  return text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? make("code", {}, part) : part));
}
