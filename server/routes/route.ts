import { z } from "zod";
import { ServerError, type ServerErrorCode } from "../error.ts";
import type { Services } from "../services.ts";
import type { Connection } from "../stream/response-stream.ts";

/** The response of a route. */
export interface RouteResponse {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Absent if there is no body. For a stream: one of its events or lines. */
  readonly schema?: z.ZodType;
  /** Default `application/json`. */
  readonly type?: "text/event-stream" | "application/x-ndjson";
}

/** The parts of a request that the route's schemas don't cover. */
export interface RouteRequest {
  /** The header `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
  readonly connection: Connection;
  /** Add a header to the response. */
  header(name: string, value: string): void;
}

export const taskParams = z.object({ taskId: z.string() });

/** A parameter that is true or false. Default: false. */
export const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true");

/** An ask's id is the `ts` of its message. */
export const askParams = taskParams.extend({
  askId: z
    .string()
    .regex(/^\d{1,15}$/, "expected the id of an ask, a number")
    .transform(Number),
});

interface Definition<P extends z.ZodObject, B extends z.ZodType> {
  readonly method: "get" | "post" | "patch" | "delete";
  /** Parameters are in braces. */
  readonly path: string;
  /** Its operation id. */
  readonly name: string;
  readonly summary: string;
  /** Whether it is served without a token. */
  readonly isOpen?: true;
  /** Path and query parameters. Default: none. */
  readonly params?: P;
  /** Default: nothing, or an empty object. */
  readonly body?: B;
  /** Given if a body is required. */
  readonly example?: z.input<B>;
  readonly answer: RouteResponse;
  /** The codes of its own errors. */
  readonly problems: readonly string[];
  /** Return the body of the response: JSON, or the bytes of a stream. */
  run(
    services: Services,
    request: RouteRequest & { readonly params: z.output<P>; readonly body: z.output<B> },
  ): Promise<unknown>;
}

/** A route that is served, validated and described from the same definition. */
export interface Route extends Omit<Definition<z.ZodObject, z.ZodType>, "run"> {
  readonly params: z.ZodObject;
  readonly body: z.ZodType;
  serve(services: Services, request: RouteRequest, params: unknown, body: unknown): Promise<unknown>;
}

/** Create a route. Invalid parameters and bodies are rejected before it runs. */
export function route<P extends z.ZodObject, B extends z.ZodType = z.ZodUndefined>(
  definition: Definition<P, B>,
): Route {
  const { run, ...rest }: Definition<z.ZodObject, z.ZodType> = definition;
  const { path, method, params, body } = { ...DEFAULTS, ...rest };
  return {
    ...rest,
    params,
    body,
    serve: async (services, request, givenParams, givenBody) =>
      run(services, {
        ...request,
        params: validate(params, givenParams, "PARAMETER_INVALID", `the parameters of ${path}`),
        body: validate(body, givenBody, "BODY_INVALID", `the body of ${method.toUpperCase()} ${path}`),
      }),
  };
}

const DEFAULTS = { params: z.object({}), body: z.strictObject({}).optional() };

function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: ServerErrorCode,
  what: string,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ServerError(
    code,
    `Expected ${what} to match their schema (GET /api/openapi.json). ${z.prettifyError(parsed.error)}`,
  );
}
