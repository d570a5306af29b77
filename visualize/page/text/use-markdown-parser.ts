import { useEffect, useSyncExternalStore } from "react";
import { loadPart } from "../load-part.ts";
import { errorText } from "../model/format.ts";
import type { parseMarkdown } from "./parse-markdown.ts";

export type MarkdownParser = typeof parseMarkdown;

declare global {
  /** The exports of `markdown-parser.ts` on a page in one file, which can't load another file. */
  var signalboxMarkdown: { readonly parseMarkdown: MarkdownParser } | undefined;
}

let parser: MarkdownParser | undefined;
/** The reason why the parser is missing. Empty: it is loaded, or nothing failed yet. */
let problem = "";
let loading: Promise<void> | undefined;
const listeners = new Set<() => void>();

/** Load the parser once. If its file can't be loaded, the next call tries it again. */
export function loadMarkdownParser(): Promise<void> {
  loading ??= load().finally(() => {
    loading = undefined;
  });
  return loading;
}

async function load(): Promise<void> {
  if (parser !== undefined) return;
  try {
    const part = globalThis.signalboxMarkdown ?? (await loadPart(() => import("../markdown-parser.ts")));
    parser = part.parseMarkdown;
    problem = "";
  } catch (error) {
    problem = errorText(error);
  }
  for (const listener of listeners) listener();
}

/** The parser, which is loaded for the first text that needs it. Undefined until then, and if it can't be loaded. */
export function useMarkdownParser(): MarkdownParser | undefined {
  useEffect(() => {
    void loadMarkdownParser();
  }, []);
  return useSyncExternalStore(subscribe, loaded, loaded);
}

/** Call `onError` with the reason if the parser can't be loaded. */
export function useMarkdownProblem(onError: (message: string) => void): void {
  const found = useSyncExternalStore(subscribe, problemFound, problemFound);
  useEffect(() => {
    if (found !== "") onError(found);
  }, [found, onError]);
}

const loaded = (): MarkdownParser | undefined => parser;
const problemFound = (): string => problem;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
