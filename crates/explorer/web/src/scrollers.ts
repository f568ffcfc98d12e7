// Makes wide texts scroll with the keyboard, too.

import type { Behaviour } from "./parts.ts";

export const scrolling: Behaviour = {
  prepare(root) {
    for (const element of root.querySelectorAll<HTMLElement>(".quaff :is(pre, .answer, .aligned, .grid):not([tabindex])")) {
      if (element.scrollWidth > element.clientWidth + 1) element.tabIndex = 0;
    }
  },
};
