// Marks code between backticks in sentences that the engine wrote as plain text.

import type { Behaviour } from "./parts.ts";
import { prose } from "./prose.ts";

/** Elements whose text is not a sentence. */
const literal = "pre, code, kbd, script, style, textarea, option, svg, .cm-editor";

export const marking: Behaviour = {
  prepare(root) {
    for (const text of texts(root)) text.replaceWith(...prose(text.data));
  },
};

function texts(root: ParentNode): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const out: Text[] = [];
  for (let text = walker.nextNode() as Text | null; text !== null; text = walker.nextNode() as Text | null) {
    const around = text.parentElement;
    if (/`[^`\n]+`/.test(text.data) && around?.closest(".quaff") && around.closest(literal) === null) out.push(text);
  }
  return out;
}
