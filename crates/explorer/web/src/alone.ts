// The script of static pages and notebooks. It starts the behaviours of the page's parts, but not the explorer.

import { initialise } from "./parts.ts";

initialise(document);
