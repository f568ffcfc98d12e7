// The script of static pages and notebooks. It has the behaviours of the page, but not the explorer.

import { initialise } from "./parts.ts";

initialise(document);
