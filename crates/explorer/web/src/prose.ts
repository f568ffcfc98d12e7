// Sentences with code between backticks.

import { make } from "./dom.ts";

/** The text as nodes. The parts between backticks become code elements. */
export function prose(text: string): (string | HTMLElement)[] {
  return text.split(/`([^`\n]+)`/).map((part, index) => (index % 2 === 1 ? make("code", {}, part) : part));
}
