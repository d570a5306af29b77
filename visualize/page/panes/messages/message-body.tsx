import type { ReactNode } from "react";
import { parseJson } from "../../../../machines/message/json.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { formatSubject } from "../../../../present/asks.ts";
import { formatSay } from "../../../../present/says.ts";
import { parseQuestion } from "../../../../wire/descriptor.ts";
import { Diff } from "../../text/diff.tsx";
import { isDiff } from "../../text/diff-lines.ts";
import { Folded } from "../../text/folded.tsx";
import { Json } from "../../text/json.tsx";
import { SafeMarkdown } from "../../text/markdown.tsx";
import { Output } from "../../text/output.tsx";
import { Paragraph, Plain, Short } from "../../text/plain.tsx";
import { CallBody } from "./call-body.tsx";
import { ContextBody } from "./context-body.tsx";
import { RequestBody } from "./request-body.tsx";

/** The content of a message by its kind; an unknown kind shows its text. */
export function MessageBody({ message, position }: Readonly<{ message: ClineMessage; position: number }>) {
  const text = message.text ?? "";
  if (message.type === "ask") return askBody(message, text);
  return position === 0 && message.say === "text" ? <Paragraph text={text} /> : sayBody(message, text);
}

function askBody(message: ClineMessage, text: string): ReactNode {
  switch (message.ask) {
    case "followup":
      return <Question text={text} />;
    case "command":
      return <Command text={text} />;
    case "command_output":
      return <Output text={text} />;
    case "tool":
    case "use_mcp_server":
    case "browser_action_launch":
      return <CallBody message={message} />;
    default:
      return <Paragraph text={formatSubject(message)} />;
  }
}

function sayBody(message: ClineMessage, text: string): ReactNode {
  const isGrowing = message.partial === true;
  switch (message.say) {
    case "text":
    case "completion_result":
    case "subtask_result":
      return <SafeMarkdown text={text} isGrowing={isGrowing} />;
    case "reasoning":
      return <Thinking text={text} isGrowing={isGrowing} />;
    case "api_req_started":
      return <RequestBody message={message} />;
    case "command_output":
      return <CommandEnd text={text} exitCode={message.exitCode} />;
    case "tool":
    case "user_feedback_diff":
    case "user_edit_todos":
      return <CallBody message={message} />;
    case "checkpoint_saved":
      return <code>{<Short text={text} maxChars={24} />}</code>;
    case "mcp_server_response":
    case "codebase_search_result":
      return <Value text={text} />;
    case "condense_context":
    case "sliding_window_truncation":
      return <ContextBody message={message} />;
    case "diff_error":
      return isDiff(text) ? <Diff diff={text} /> : <Paragraph text={text} />;
    default:
      return <Paragraph text={formatSay(message)} />;
  }
}

function Question({ text }: { readonly text: string }): ReactNode {
  const { question, suggest } = parseQuestion(text);
  return (
    <>
      <SafeMarkdown text={question} />
      {suggest.length > 0 && (
        <ol className="messages-suggestions">
          {suggest.slice(0, 20).map(({ answer, mode }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: suggestions are identified by position
            <li key={index}>
              <Plain text={answer} maxChars={500} />
              {mode !== undefined && (
                <span className="messages-muted">
                  {" "}
                  in mode <Short text={mode} />
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function Command({ text }: { readonly text: string }): ReactNode {
  if (text === "") return null;
  return (
    <pre className="messages-command">
      <Plain text={text} />
    </pre>
  );
}

function CommandEnd({ text, exitCode }: Readonly<{ text: string; exitCode: number | undefined }>): ReactNode {
  const tone = exitCode === 0 ? "good" : exitCode === undefined ? "quiet" : "bad";
  const outcome = exitCode === undefined ? "terminated" : `exit code ${exitCode}`;
  return (
    <>
      <Output text={text} />
      <span className={`messages-badge messages-tone-${tone}`}>{outcome}</span>
    </>
  );
}

function Thinking({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }): ReactNode {
  return (
    <Folded
      className={isGrowing ? "text-growing" : ""}
      summary={
        <span className="messages-thinking">
          <Short text={text} maxChars={90} />
        </span>
      }
    >
      {() => <SafeMarkdown text={text} />}
    </Folded>
  );
}

function Value({ text }: { readonly text: string }): ReactNode {
  const value = parseJson(text);
  return typeof value === "object" && value !== null ? <Json value={value} /> : <Output text={text} />;
}
