import { builtPage } from "../share/built-page.ts";
import { type OneFileOptions, type OneFilePage, oneFilePage } from "../share/one-file-page.ts";
import type { TraceEvent } from "../trace/trace-event.ts";

/**
 * The maker of a task's page in one file. The built page has it in a file of its own, `embed-share.js`, beside the files
 * that it puts into that page.
 *
 * @throws Error where a file is missing, or the page's connection is not secure: then a browser has no hashes
 */
export async function sharedPage(
  events: Iterable<TraceEvent>,
  options: OneFileOptions,
): Promise<OneFilePage> {
  if (!isSecureContext)
    throw new Error(
      "A browser makes the file only on a secure page. Open this one by https or on localhost.",
    );
  return oneFilePage(events, await builtPage(textOf), options);
}

async function textOf(name: string): Promise<string> {
  const url = new URL(/* @vite-ignore */ name, import.meta.url);
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(`Expected ${name} beside the page's script, got ${response.status} for ${url}.`);
  return response.text();
}
