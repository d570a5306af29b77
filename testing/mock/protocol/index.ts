export { checkAccess, isLoopback } from "./access.ts";
export { ApiError, errorBody, errorTypeOf, invalidRequest, statusOf } from "./api-error.ts";
export { parseJson, readBody, requestBytesMax } from "./body.ts";
export { type MessagesRequest, type RequestMessage, readRequest } from "./request.ts";
export { validateRequest } from "./validate.ts";
