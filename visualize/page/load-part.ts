import { errorText } from "./model/format.ts";

/**
 * Load a part of the page that has a file of its own.
 *
 * @throws Error if the file can't be loaded. Chromium does not request it again before the page is loaded anew.
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    throw new Error(
      `A part of this page could not be loaded: ${errorText(cause)}. Check the connection, and reload the page.`,
      { cause },
    );
  }
}
