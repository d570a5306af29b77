const PAGE = `<!doctype html><html lang="en"><title>Another page</title><link rel="stylesheet" href="embed.css">
<div id="here"></div><script type="module" src="host.js"></script></html>`;

const BEGIN = `import { parseEvents, fileSource, mount } from "./embed.js";
const here = document.getElementById("here");
here.style.height = "700px";
const read = async (name) => (await fetch(name)).text();
const events = parseEvents(await read("trace.json"));
`;

/**
 * The files of another page that mounts the debugger, for a site with a `trace.json`. `mount` is the code that calls
 * `mount`: it has `events`, the element `here`, and `read`, which fetches a text.
 */
export const hostPage = (mount: string): Readonly<Record<string, string>> => ({
  "host.html": PAGE,
  "host.js": BEGIN + mount,
});
