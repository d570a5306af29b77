/** Maximum length of a recorded text of a cause, in UTF-16 units. */
const MAX_CAUSE_TEXT = 64;

/** Texts of these fields are never recorded: the messages contain them. */
const BULK: ReadonlySet<string> = new Set(["text", "preview"]);
/** Texts of these fields are not recorded at the end of a call either: hooks may withhold or replace the result. */
const BULK_OF_RESULTS: ReadonlySet<string> = new Set([...BULK, "error", "output", "found"]);

/**
 * The part of an event that a commit's record keeps: its type, ids, numbers and short texts, one level deep.
 * Long texts, contents and lists are left out: the messages and the conversation contain them.
 */
export function compactCause<T extends { readonly type: string }>(
  event: T,
): Readonly<Record<string, unknown>> {
  const isResult = event.type === "tool.finished" || event.type === "tool.failed";
  const bulk = isResult ? BULK_OF_RESULTS : BULK;
  const compact: Record<string, unknown> = {};
  for (const key in event) {
    const value: unknown = event[key];
    if (isSmall(key, value, bulk)) compact[key] = value;
    else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const inner = Object.entries(value).filter(([name, part]) => isSmall(name, part, bulk));
      if (inner.length > 0) compact[key] = Object.fromEntries(inner);
    }
  }
  return compact;
}

const isSmall = (key: string, value: unknown, bulk: ReadonlySet<string>): boolean =>
  Number.isFinite(value) ||
  typeof value === "boolean" ||
  (typeof value === "string" && value.length <= MAX_CAUSE_TEXT && !bulk.has(key));
