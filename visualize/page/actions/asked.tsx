import type { ReactNode } from "react";
import { isAskType } from "../../../machines/message/asks.ts";
import { askLabel, formatSubject, isApproval } from "../../../present/asks.ts";
import { parseQuestion } from "../../../wire/descriptor.ts";
import type { OpenAskInfo } from "../../../wire/http/api.ts";
import { CallBody } from "../panes/messages/call-body.tsx";
import { SafeMarkdown } from "../text/markdown.tsx";
import { Paragraph, Plain } from "../text/plain.tsx";
import { shortened } from "../text/printable.ts";

export interface AskedProps {
  readonly ask: OpenAskInfo;
  /** The code of the error that led to the ask. */
  readonly errorCode: string | undefined;
}

const REASON_MAX_CHARS = 300;

/** The whole content of an open ask: the question, the command, the change, or the end of the run. A long one scrolls. */
export function Asked({ ask, errorCode }: AskedProps) {
  const { kind, reason } = ask;
  const content = contentOf(ask);
  return (
    <>
      <span className="sb-action-note">{shortened(askLabel(kind, { errorCode, reason }))}</span>
      {(content !== undefined || (reason !== undefined && isApproval(kind))) && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
        <section key={ask.askId} className="sb-asked" aria-label="Content of the ask" tabIndex={0}>
          {content}
          {reason !== undefined && isApproval(kind) && (
            <p className="sb-action-reason">Reason: {shortened(reason, REASON_MAX_CHARS)}</p>
          )}
        </section>
      )}
    </>
  );
}

/** Undefined where the label says all. */
function contentOf({ askId: ts, kind, text, result }: OpenAskInfo): ReactNode | undefined {
  if (kind === "followup") return <SafeMarkdown text={parseQuestion(text).question} />;
  if (kind === "command")
    return (
      <pre className="sb-command">
        <Plain text={text} />
      </pre>
    );
  if (isApproval(kind)) return <CallBody message={{ ts, type: "ask", ask: kind, text }} />;
  if (kind === "completion_result" && result !== undefined) return <SafeMarkdown text={result} />;
  const subject = isAskType(kind) ? formatSubject({ ask: kind, text }) : text;
  return subject.trim() === "" ? undefined : <Paragraph text={subject} />;
}
