// Checked by the compiler: `@ts-expect-error` fails where there is no error.
import type { Ask } from "../../index.ts";

declare const ask: Ask;

// An ask of an unknown kind has no answers in common.
// @ts-expect-error
ask.approve();
// @ts-expect-error
ask.answer("Yes");

/** The kind narrows an ask to the answers that it takes. */
export function answer(): unknown {
  switch (ask.kind) {
    case "tool":
    case "command":
    case "mcp":
    case "browser":
      // @ts-expect-error
      ask.answer("Yes");
      // @ts-expect-error: a task in another process has no arguments.
      ask.tool.input satisfies object;
      ask.tool?.input satisfies object | undefined;
      ask.paths satisfies readonly { readonly path: string; readonly inside: boolean }[];
      return ask.approve({ text: "Only this once" });
    case "question":
      // @ts-expect-error
      ask.approve();
      return ask.answer(ask.suggestions[0]?.answer ?? ask.question);
    case "command_output":
      // @ts-expect-error
      ask.answer("Stop");
      return ask.reject();
    case "completion":
      ask.result satisfies string;
      return [ask.approve(), ask.reject(), ask.answer("Add a test")];
    case "failure":
      return [ask.approve(), ask.reject()];
    case "mistakes":
      return [ask.approve(), ask.reject(), ask.answer("Read the file first")];
    case "limit":
      // @ts-expect-error
      ask.answer("Continue");
      return ask.approve();
    case "resume":
      // @ts-expect-error
      ask.decline();
      return ask.approve();
    case "resume_completed":
      // @ts-expect-error
      ask.resume();
      return ask.answer("Add a test");
    default:
      // Every kind is handled.
      return ask satisfies never;
  }
}
