// The content of the view when there is no input: a sentence, and examples.

import { make } from "./dom.ts";
import { exampleLinks } from "./examples.ts";
import { prose } from "./prose.ts";

const sentence = "Type an index into the first field, such as `x//8%8*8 + x%8`, and the ranges of its variables. Or begin with an example:";

export function beginning(fixed: boolean): HTMLElement {
  if (fixed) return make("p", {}, "The index of this page is empty.");
  return make("div", { class: "beginning" }, make("p", {}, ...prose(sentence)), make("ul", {}, ...exampleLinks()));
}
