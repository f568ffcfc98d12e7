/* sources b1b8912ae731abaa */
"use strict";(()=>{importScripts("bindings.js");addEventListener("message",({data:e})=>{if("module"in e){wasm_bindgen.initSync(e);return}let s;try{s={response:wasm_bindgen.respond(e.json)}}catch(n){s={error:n instanceof Error?n.message:String(n)}}postMessage(s)});})();
