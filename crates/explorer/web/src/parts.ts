// Behaviours of the HTML that the engine makes. They need nothing but that HTML.

import { copying } from "./copy.ts";
import { selecting } from "./egraph.ts";
import { lighting } from "./linked.ts";
import { scrolling } from "./scrollers.ts";
import { stepping } from "./steps.ts";
import { filtering, sorting } from "./tables.ts";
import { tabbing } from "./tabs.ts";
import { telling } from "./tips.ts";
import { zooming } from "./zoom.ts";

/** One behaviour: it listens on the whole document once, and prepares the elements of every new fragment. */
export interface Behaviour {
  listen?(document: Document): void;
  prepare?(root: ParentNode): void;
}

const behaviours: Behaviour[] = [copying, selecting, lighting, filtering, sorting, tabbing, telling, zooming, scrolling, stepping];

/** Several copies of this script may run in one document, such as a notebook: only the first listens. */
const listening = Symbol.for("quaff.listening");

export function initialise(root: ParentNode): void {
  const owner = (root.ownerDocument ?? root) as Document & { [listening]?: boolean };
  if (!owner[listening]) {
    owner[listening] = true;
    for (const behaviour of behaviours) behaviour.listen?.(owner);
  }
  for (const behaviour of behaviours) behaviour.prepare?.(root);
}
