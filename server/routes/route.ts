import type { ServerResponse } from "node:http";
import { z } from "zod";
import { ServerError, type ServerErrorCode } from "../error.ts";
import type { Services } from "../services.ts";

/** What comes back. */
export interface RouteAnswer {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Absent where there is no body. Of a stream: one of its events, or lines. */
  readonly schema?: z.ZodType;
  /** Default `application/json`. */
  readonly type?: "text/event-stream" | "application/x-ndjson";
}

/** What came, beside what the route's own schemas take. */
export interface Call {
  /** The header `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
  /** Where a stream goes: its route sends the answer itself. */
  readonly response: ServerResponse;
  /** Adds a header to the answer. */
  header(name: string, value: string): void;
}

interface Spec<P extends z.ZodObject, B extends z.ZodType> {
  readonly method: "get" | "post" | "patch" | "delete";
  /** With its parameters in braces. */
  readonly path: string;
  /** Names it in the description. */
  readonly name: string;
  readonly summary: string;
  /** Whether it is served without the token. */
  readonly isOpen?: true;
  /** What the address has: those that the path names are in it, others behind it (`?name=value`). */
  readonly params: P;
  readonly body: B;
  /** Of a body that must be there. */
  readonly example?: z.input<B>;
  readonly answer: RouteAnswer;
  /** The codes of its own problems. */
  readonly problems: readonly string[];
  /** What it gives is the body of the answer. */
  run(
    services: Services,
    call: Call & { readonly params: z.output<P>; readonly body: z.output<B> },
  ): Promise<unknown>;
}

/** One part of the interface: it is served, checked and described by the same words. */
export interface Route extends Omit<Spec<z.ZodObject, z.ZodType>, "run"> {
  serve(services: Services, call: Call, params: unknown, body: unknown): Promise<unknown>;
}

export const NO_PARAMS = z.object({});
/** Nothing, or an empty object. */
export const NO_BODY = z.strictObject({}).optional();

/** A route. What does not fit is refused before it runs. */
export function route<P extends z.ZodObject, B extends z.ZodType>({ run, ...spec }: Spec<P, B>): Route {
  return {
    ...spec,
    async serve(services, call, params, body) {
      const named = fitting(spec.params, params, "PARAMETER_INVALID", `The address of ${spec.path}`);
      const said = fitting(
        spec.body,
        body,
        "BODY_INVALID",
        `The body of ${spec.method.toUpperCase()} ${spec.path}`,
      );
      return run(services, { ...call, params: named, body: said });
    },
  };
}

function fitting<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: ServerErrorCode,
  what: string,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ServerError(code, `${what} can't be taken. ${z.prettifyError(parsed.error)}`);
}
