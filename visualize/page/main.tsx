import { httpSource, mount, openFiles, SourceError } from "./embed.ts";
import { errorText } from "./model/format.ts";
import { parseLocation } from "./model/location.ts";
import type { Mounted } from "./mount.ts";
import { fileContent } from "./sources/file-content.ts";
import "./style/page.css";
import { reloadForTokens, startSession } from "./sources/session.ts";

const element = document.getElementById("page");
if (element === null) throw new Error("The page has no element #page.");

try {
  await show(element);
} catch (error) {
  element.textContent = errorText(error);
  element.setAttribute("role", "alert");
  element.className = "sb-fatal";
}

async function show(element: HTMLElement): Promise<void> {
  const { file } = parseLocation(location.hash);
  if (file !== undefined) {
    mount(element, {
      source: await openFiles([{ name: file, content: await loadFile(file) }]),
      isPage: true,
    });
    return;
  }
  reloadForTokens();
  await startSession("");
  let shown: Mounted | undefined;
  const source = httpSource("", { onConnection: (connection) => shown?.update({ connection }) });
  shown = mount(element, { source, isPage: true, connection: "connecting" });
}

/** Load only from the page's own server: a link must not make the page load anything else. */
async function loadFile(file: string): Promise<string | Uint8Array> {
  const url = new URL(file, location.href);
  if (url.origin !== location.origin)
    throw new SourceError(
      "SOURCE_FILE",
      `Expected a file on the page's own server, got one on ${url.origin}.`,
    );
  const response = await fetch(url);
  if (!response.ok) throw new SourceError("SOURCE_FILE", `There is no file ${file}: ${response.status}.`);
  return fileContent(await response.blob());
}
