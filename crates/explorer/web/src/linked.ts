// When an element is under the pointer or has the focus, this module highlights all elements that belong to it.

import { closest } from "./dom.ts";
import type { Behaviour } from "./parts.ts";

let lit: Element[] = [];

export const lighting: Behaviour = {
  listen(document) {
    const light = (event: Event) => {
      const element = closest<Element>(event, "[data-key]");
      const around = element?.closest(".linked") ?? null;
      const key = element?.getAttribute("data-key");
      for (const other of lit) other.classList.remove("lit");
      lit = around === null || key == null ? [] : [...around.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)];
      for (const other of lit) other.classList.add("lit");
    };
    document.addEventListener("pointerover", light);
    document.addEventListener("focusin", light);
    document.addEventListener("focusout", light);
  },
};
