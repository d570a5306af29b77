import { type OneFileOptions, type OneFilePage, oneFilePage } from "../../visualize/share/one-file-page.ts";
import type { TraceEvent } from "../../visualize/trace/trace-event.ts";
import { builtPageFolder, readBuiltPage } from "./built-page.ts";

/** Options of {@link tracePage}. */
export interface TracePageOptions extends OneFileOptions {
  /** The folder of the built page. Default: the page of `@signalbox/debugger`. */
  readonly page?: string;
}

/**
 * The visual debugger and a trace in one HTML file of about 0.9 MB plus the trace. It needs no server and loads nothing.
 *
 * Its Content-Security-Policy allows only the page's own scripts, and no requests. The trace is data.
 *
 * @example
 * ```ts
 * import { tracePage } from "signalbox/server";
 * import { traceOfJournal } from "signalbox/trace";
 * const events = traceOfJournal([{ seq: 0, kind: "header", version: 2, taskId: "t1", createdAt: 0 }]);
 * const page = await tracePage(events, { title: "My task" });
 * console.log(page.split("\n")[0]); // <!doctype html>
 * ```
 * @throws TracePageError `PAGE_NOT_BUILT` without `@signalbox/debugger`, or if it was not built
 */
export async function tracePage(events: Iterable<TraceEvent>, options: TracePageOptions): Promise<string> {
  return (await countedTracePage(events, options)).html;
}

/** {@link tracePage} with the number of its masked places. */
export const countedTracePage = async (
  events: Iterable<TraceEvent>,
  { page = builtPageFolder(), ...options }: TracePageOptions,
): Promise<OneFilePage> => oneFilePage(events, await readBuiltPage(page), options);
