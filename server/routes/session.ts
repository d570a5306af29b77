import { sessionSchema } from "../../wire/index.ts";
import { NO_PARAMS, route } from "./route.ts";

export const sessionRoutes = [
  route({
    method: "post",
    path: "/api/session",
    name: "startSession",
    summary: "Exchanges the token for a session cookie.",
    isOpen: true,
    params: NO_PARAMS,
    body: sessionSchema,
    example: { token: "rZ8qk3..." },
    answer: { status: 204, description: "The cookie is set: HttpOnly, SameSite=Strict." },
    problems: ["TOKEN_WRONG"],
    async run({ access, port }, { body, header }) {
      header("set-cookie", access.exchange(body.token, port()));
    },
  }),
];
