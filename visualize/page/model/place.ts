/** What of the page a link holds. */
export interface Place {
  readonly task?: string;
  /** The place in the trace. Absent: at its end, and going with it. */
  readonly at?: number;
  /** The task that it is compared with. */
  readonly beside?: string;
  /** A recorded trace or journal to load, by an address relative to the page. */
  readonly file?: string;
}

/** Reads the part of an address behind its `#`. What isn't understood is left out. */
export function placeOf(hash: string): Place {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const [task, at, beside, file] = ["task", "at", "with", "file"].map((name) => fields.get(name));
  return {
    ...(task && { task }),
    ...(at && /^\d+$/.test(at) && { at: Number(at) }),
    ...(beside && { beside }),
    ...(file && { file }),
  };
}

/** The part of an address that {@link placeOf} reads again. */
export function hashOf({ task, at, beside, file }: Place): string {
  const fields = new URLSearchParams();
  if (file !== undefined) fields.set("file", file);
  if (task !== undefined) fields.set("task", task);
  if (at !== undefined) fields.set("at", String(at));
  if (beside !== undefined) fields.set("with", beside);
  const text = fields.toString();
  return text === "" ? "" : `#${text}`;
}
