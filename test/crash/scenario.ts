/** The initial files of the workspace. */
export const FILES: Readonly<Record<string, string>> = {
  "notes.md": "The first line.\nThe second line.\n",
  "list.txt": "alpha\nbeta\n",
};

/** The file that the task writes: with this content, since the approval amends what the model proposes. */
export const WRITTEN = { path: "out.txt", content: "one\n2\nthree\n" };

export const TASK_ID = "crash";
/** The subtask. Its own mode selects its turns in the script. */
export const CHILD_ID = "crash.1";
export const CHILD_RESULT = "The part is done.";
export const PROMPT = "Do all of it.";
export const RESULT = "All of it is done.";

/** The file of the workspace to which each effect appends one line. */
export const COUNTER = "effects.log";

/**
 * The responses of the model, with every kind of journal record. The name of an effect is unique and stays the same when
 * a response is requested again, so that a repeated effect is detected.
 */
export const SCRIPT = `
name: crash
seed: 3
chunk: 24
rules:
  - when: { conversation: 'Current mode\\s+debug\\b', user: '.', tool: attempt_completion }
    turns: [{ tool: attempt_completion, input: { result: ${CHILD_RESULT} } }]
  - when: { conversation: 'Current mode\\s+debug\\b', user: '.', tool: count }
    turns: [{ tool: attempt_completion, input: { result: ${CHILD_RESULT} } }]
  - when: { conversation: 'Current mode\\s+debug\\b', user: '.' }
    turns:
      - { status: 500, retryAfter: 0.01 }
      - blocks:
          - text: I do my part.
          - { tool: count, input: { key: part } }
turns:
  - { status: 529, retryAfter: 0.01 }
  - blocks:
      - thinking: I don't know these files. I read them before I change anything.
      - text: I read both files first.
      - { tool: read_file, input: { path: notes.md } }
      - { tool: read_file, input: { path: list.txt } }
      - { tool: count, input: { key: first } }
  - blocks:
      - thinking: Now a new file, which a person has to approve.
      - text: I write a file.
      - { tool: write_to_file, input: { path: out.txt, content: "one\\ntwo\\nthree\\n" } }
  - { cutAfter: 4 }
  - blocks:
      - text: I change the list and run a command, both at one go, as they belong together.
      - tool: apply_diff
        input:
          path: list.txt
          diff: |
            <<<<<<< SEARCH
            beta
            =======
            gamma
            >>>>>>> REPLACE
      - { tool: execute_command, input: { command: "echo command >> effects.log; echo said" } }
  - blocks:
      - thinking: Three calls in one answer.
      - { tool: count, input: { key: second } }
      - { tool: read_file, input: { path: out.txt } }
      - { tool: count, input: { key: third } }
  - blocks:
      - text: The rest is a task of its own.
      - { tool: new_task, input: { mode: debug, message: Do your part. } }
  - { tool: attempt_completion, input: { result: ${RESULT} } }
  - { tool: attempt_completion, input: { result: ${RESULT} } }
  - { tool: attempt_completion, input: { result: ${RESULT} } }
  - { tool: attempt_completion, input: { result: ${RESULT} } }
`;

/** The name of a call's effect in the counter file, from its arguments; undefined if it is not counted. */
export function effectName(tool: string, input: Readonly<Record<string, unknown>>): string | undefined {
  switch (tool) {
    case "count":
      return String(input.key);
    case "write_to_file":
    case "apply_diff":
      return `${tool}:${String(input.path)}`;
    case "execute_command":
      return /echo (\S+) >> effects\.log/.exec(String(input.command))?.[1];
    default:
      return undefined;
  }
}
