import "./no-eval.ts";
import "./style/index.css";
import { placeOf } from "./model/place.ts";
import { type Mounted, mount } from "./mount.ts";
import { enterSession, eventsIn, fileSource, httpSource, SourceError } from "./sources/index.ts";

const element = document.getElementById("page");
if (element === null) throw new Error("The page has no element #page.");

try {
  await show(element);
} catch (error) {
  element.textContent = error instanceof Error ? error.message : String(error);
  element.setAttribute("role", "alert");
  element.className = "sb-fatal";
}

async function show(element: HTMLElement): Promise<void> {
  const { file } = placeOf(location.hash);
  if (file !== undefined) {
    mount(element, { source: fileSource(eventsIn(await textOf(file))), isPage: true });
    return;
  }
  await enterSession("");
  let shown: Mounted | undefined;
  const source = httpSource("", { onConnection: (connection) => shown?.update({ connection }) });
  shown = mount(element, { source, isPage: true, connection: "connecting" });
}

/** Only what the page's own server has: a link may not make the page load something else. */
async function textOf(file: string): Promise<string> {
  const url = new URL(file, location.href);
  if (url.origin !== location.origin)
    throw new SourceError("SOURCE_FILE", `The file must lie on the page's own server, not on ${url.origin}.`);
  const response = await fetch(url);
  if (!response.ok) throw new SourceError("SOURCE_FILE", `There is no file ${file}: ${response.status}.`);
  return response.text();
}
