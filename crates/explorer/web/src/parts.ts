// Behaviours of the HTML that the engine writes. They depend only on that HTML.

import { reading } from "./cells.ts";
import { copying } from "./copy.ts";
import { selecting } from "./egraph.ts";
import { lighting } from "./linked.ts";
import { marking } from "./marks.ts";
import { scrolling } from "./scrollers.ts";
import { stepping } from "./steps.ts";
import { filtering, sorting } from "./tables.ts";
import { tabbing } from "./tabs.ts";
import { telling } from "./tips.ts";
import { zooming } from "./zoom.ts";

/** A behaviour. It listens once on the whole document, and prepares the elements of every new fragment. */
export interface Behaviour {
  listen?(document: Document): void;
  prepare?(root: ParentNode): void;
}

const behaviours: Behaviour[] = [
  marking, copying, selecting, lighting, filtering, sorting, tabbing, zooming, reading, telling, scrolling, stepping,
];

/**
 * Marks a document that already listens. Several copies of this script may run in one document, such as a notebook, but
 * only the first one listens.
 */
const listening = Symbol.for("quaff.listening");

export function initialise(root: ParentNode): void {
  const owner = (root.ownerDocument ?? root) as Document & { [listening]?: boolean };
  if (!owner[listening]) {
    owner[listening] = true;
    for (const behaviour of behaviours) behaviour.listen?.(owner);
  }
  for (const behaviour of behaviours) behaviour.prepare?.(root);
}
