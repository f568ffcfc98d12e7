// The behaviours alone, for static pages and notebooks.

import { initialise } from "./parts.ts";

initialise(document);
