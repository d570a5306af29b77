/** What a request says of the world at the moment that it is made. */
export interface EnvironmentFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly root: string;
  readonly files:
    | { readonly names: readonly string[]; readonly cut: boolean }
    /** Why they could not be listed. */
    | { readonly problem: string };
  /** The checklist, where there is one. */
  readonly todos: string | undefined;
}

/** The `<environment_details>` block of a request. */
export function environmentDetails({ now, root, files, todos }: EnvironmentFacts): string {
  const sections = [
    section("Current time", new Date(now).toISOString()),
    section(`Files in the workspace (${oneLine(root)})`, fileList(files)),
    ...(todos === undefined ? [] : [section("Todo list", todos)]),
  ];
  // A file's name or a todo must not end the block that it stands in.
  const body = sections.join("\n\n").replaceAll(/<(\/?environment_details)/gi, "<\\$1");
  return `<environment_details>\n${body}\n</environment_details>`;
}

function section(title: string, body: string): string {
  return `# ${title}\n${body}`;
}

function fileList(files: EnvironmentFacts["files"]): string {
  if ("problem" in files) return `(could not be listed: ${oneLine(files.problem)})`;
  if (files.names.length === 0) return "(none)";
  const lines = files.names.map(oneLine);
  if (files.cut) lines.push(`(the list was cut after ${files.names.length} names; list_files shows more)`);
  return lines.join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, "\ufffd");
}
