/** Weaver, the training service behind NexRL: views and four acts by its published REST API. */
export { dueForExtension, modelOfPath } from './extend-rule'
export { WeaverClient } from './weaver-client'
export { WEAVER_SERVER } from './weaver-http'
export { WeaverService } from './weaver-service'
