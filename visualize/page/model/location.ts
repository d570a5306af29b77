/** The content of a link to the page. */
export interface PageLocation {
  readonly task?: string | undefined;
  /** The event of the trace. Absent: the newest, following the trace. */
  readonly at?: number | undefined;
  /** The task to compare with. */
  readonly comparedWith?: string | undefined;
  /** `suite`: the measured control suite. Absent: the task. */
  readonly view?: "suite" | undefined;
  /** A recorded trace or journal to load, relative to the page. */
  readonly file?: string | undefined;
  /** The query of the task list. Present: the list is shown. */
  readonly query?: string | undefined;
}

/** Parse the fragment of an address. Unknown and invalid fields are ignored. */
export function parseLocation(hash: string): PageLocation {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const [task, at, comparedWith, file, query] = ["task", "at", "with", "file", "q"].map((name) =>
    fields.get(name),
  );
  return {
    ...(task && { task }),
    ...(at && /^\d+$/.test(at) && { at: Number(at) }),
    ...(comparedWith && { comparedWith }),
    ...(fields.get("view") === "suite" && { view: "suite" as const }),
    ...(file && { file }),
    ...(query && { query }),
  };
}

/** Format the fragment that {@link parseLocation} parses. */
export function formatLocation({ task, at, comparedWith, view, file, query }: PageLocation): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries({ file, view, task, at, with: comparedWith, q: query }))
    if (value !== undefined && value !== "") fields.set(name, String(value));
  const text = fields.toString();
  return text === "" ? "" : `#${text}`;
}
