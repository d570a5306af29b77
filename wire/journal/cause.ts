/** Maximum length of a recorded text of a cause, in UTF-16 units. */
const MAX_CAUSE_TEXT = 64;

/** Texts of these fields are never recorded: the messages contain them. */
const BULK: ReadonlySet<string> = new Set(["text", "preview"]);

/**
 * The part of an event that a commit's record keeps: its type, ids, numbers and short texts, one level deep.
 * Long texts, contents and lists are left out: the messages and the conversation contain them.
 */
export function compactCause<T extends { readonly type: string }>(
  event: T,
): Readonly<Record<string, unknown>> {
  const compact: Record<string, unknown> = {};
  for (const key in event) {
    const value: unknown = event[key];
    if (isSmall(key, value)) compact[key] = value;
    else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      const inner = Object.entries(value).filter(([name, part]) => isSmall(name, part));
      if (inner.length > 0) compact[key] = Object.fromEntries(inner);
    }
  }
  return compact;
}

const isSmall = (key: string, value: unknown): boolean =>
  Number.isFinite(value) ||
  typeof value === "boolean" ||
  (typeof value === "string" && value.length <= MAX_CAUSE_TEXT && !BULK.has(key));
