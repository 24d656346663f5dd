/**
 * What the help says in English, and the same in Chinese. An option that many commands have is here once; a test walks every
 * command, so that none is left out.
 */
export const HELP_WORDS: Readonly<Record<string, string>> = {
  'Launch, watch, compare and roll back agents that keep learning.':
    '启动、观察、比较并回滚持续学习的智能体。',
  'folder that holds the runs (default ~/slipway, or SLIPWAY_HOME)':
    '存放运行的目录（默认 ~/slipway 或 SLIPWAY_HOME）',
  'language of sentences': '文字所用的语言',
  'output the version number': '显示版本号',
  'display help for command': '显示命令的帮助',
  'print JSON': '输出 JSON',

  'start a run; returns when its stack is starting': '启动一次运行；运行栈开始启动后即返回',
  'container: name or digest of an image on the target': '容器：目标上镜像的名称或摘要',
  'container: folder of the models on the target’s machine': '容器：目标机器上的模型目录',
  'container: folder there for what the stack keeps': '容器：目标机器上保存运行栈状态的目录',
  'container: folder there of the Reef checkout': '容器：目标机器上的 Reef 检出目录',
  'container: indices or ids with commas between, or none; default all':
    '容器：GPU 序号或 id，以逗号分隔，或 none；默认全部',
  'container: size of /dev/shm, such as 64g; default 32g':
    '容器：/dev/shm 的大小，例如 64g；默认 32g',
  'container: who it runs as; default the image’s own user': '容器：运行身份；默认为镜像自带的用户',
  'container: compose file to start it with, or its folder':
    '容器：启动所用的 compose 文件或其目录',
  'container: service of that file; default the only one': '容器：该文件中的服务；默认为唯一的一个',
  'a command that makes its traffic, once for each': '产生流量的伴随命令，可重复',
  'where they run: process or stack-container': '伴随命令在哪里运行：process 或 stack-container',
  'run each in a container of its own from this image': '用此镜像让每个伴随命令在独立容器中运行',
  'a variable they need, once for each': '伴随命令所需的环境变量，可重复',
  'when they are started again: never, on-failure, always':
    '何时重新启动：never、on-failure、always',
  'NexRL: start the driver directly, or by kubectl': 'NexRL：直接启动 driver，或通过 kubectl 启动',
  'NexRL: whose GPUs': 'NexRL：使用谁的 GPU',
  'NexRL on Kubernetes: launch an idle pod that trains nothing':
    'Kubernetes 上的 NexRL：启动不训练的空闲 pod',
  'NexRL on Kubernetes: goes into the names of jobs': 'Kubernetes 上的 NexRL：写入作业名称的标记',
  'NexRL: folder of its checkout': 'NexRL：其检出目录',
  'NexRL: folder of its Python environment': 'NexRL：其 Python 环境目录',
  'NexRL self-hosted on Kubernetes: an inference service that runs already':
    'Kubernetes 上自托管的 NexRL：已在运行的推理服务',
  'NexRL with Weaver: keep every Nth step’s weights': '使用 Weaver 的 NexRL：每 N 步保留一次权重',
  'where to run': '在哪里运行',
  'name of the run': '运行的名称',
  'go on in spite of preflight failures that are a judgement':
    '说明理由，越过预检中属于判断的失败项',
  'stay and print what happens': '保持运行并输出进展',
  'let it wait in the queue until its GPUs and ports are free':
    '在队列中等待，直到所需 GPU 和端口空闲',
  'launches that wait for GPUs and ports; the window starts them':
    '等待 GPU 与端口的启动请求；由窗口启动',
  'take a launch out, by id or name': '按 id 或名称移除一个启动请求',
  'let a launch be the first of its target': '让某个启动请求排到其目标的首位',
  'let a launch that did not start wait again': '让未能启动的启动项重新等待',
  'list all runs, the last started first': '列出全部运行，最近启动的在前',
  'what a run is and what it is doing': '某次运行的内容与当前进展',
  'the releases of a run, newest first': '某次运行的版本，最新的在前',
  'what one release cost, what it learnt from, and, of a harness, its files':
    '某个版本的代价、学习来源；若为 harness，还有其文件',
  'a harness file against the release it was made from': 'harness 文件与其来源版本的差异',
  'what a run saved: size, reward, what becomes of it': '某次运行保存的内容：大小、reward、去向',
  'keep it whatever the stack cleans up': '无论运行栈如何清理都保留',
  'no longer keep it': '不再保留',
  'check shards and digests of its export': '核对其导出的分片与摘要',
  'copy its export to a new folder, named by --to': '把其导出复制到 --to 指定的新目录',
  'go back to a release (r12, 12 or its id)': '回到某个版本（r12、12 或其 id）',
  'experimental: go on from its iteration with the optimizer, on a copy of the checkpoints':
    '实验性：在 checkpoint 的副本上，连同优化器从该迭代继续',
  'kept in the run': '保存在运行记录中',
  'say what it would change, and do nothing': '只说明会改变什么，不执行',
  'serve a release that was held back': '让先前被扣留的版本上线',
  'take the newest rollback, promotion or redeploy of a run back':
    '撤销某次运行最近的回滚、提升或重新部署',
  'start a run that has ended again, where it stopped': '在停止处重新启动一个已结束的运行',
  'end the stack of a run; its record stays': '结束某次运行的运行栈；记录保留',
  'skip the grace period': '跳过宽限时间',

  'print what the services of a run said, its newest attempt unless another is named':
    '输出某次运行各服务的日志；未指定时为最新一次尝试',
  'only this log: a service, or its attempt too, as 1/reef':
    '只看该日志：服务名，或连同尝试编号，例如 1/reef',
  'only lines that match this regular expression': '只输出匹配该正则表达式的行',
  'only the last lines of each log': '每个日志只输出最后若干行',
  'go on with what comes, until the run is over': '持续输出新内容，直到运行结束',

  'judge machine, recipe and target before a launch; exit 0, 1 with a fail, 2 unreadable, 3 with --strict and a warning':
    '启动前检查机器、配方与目标；退出码 0；有失败 1；不可读 2；--strict 且有警告 3',
  'where it would run': '将在哪里运行',
  'give a field another value': '为某个字段指定另一个值',
  'exit 3 when there are warnings but no fail': '没有失败但有警告时退出码为 3',
  'recipe file': '配方文件',
  'find mistakes in a recipe, or in a Python worker or trainer for NexRL; exit 0 without errors, 1 with errors, 2 unreadable':
    '查找配方（或 NexRL 的 Python worker、trainer）中的错误；无错误退出码 0，有错误 1，不可读 2',
  'reef-unversioned, reef-v2 or nexrl (default: detected)':
    'reef-unversioned、reef-v2 或 nexrl（默认自动识别）',
  'A, B or C (default: detected)': 'A、B 或 C（默认自动识别）',
  'NAME=value lines to use instead of the own environment':
    '以 NAME=value 逐行给出，代替当前环境变量',
  'exit 3 when there are warnings but no errors': '没有错误但有警告时退出码为 3',
  'print every field with its value and where that comes from': '列出每个字段的值及其来源',
  'print the recipe in the newest form': '输出最新格式的配方',
  'replace the file instead of printing': '直接替换文件而不是输出',
  'explain a rule, or list all rules': '解释一条规则，或列出全部规则',
  'rule id, e.g. batch/agreement': '规则 id，例如 batch/agreement',

  'compare two to eight releases, runs, recipes and checkpoints, in any mix':
    '比较两到八个版本、运行、配方或 checkpoint，可任意组合',
  'which side the others are held against, from 1; default the first':
    '以第几方为基准，从 1 开始；默认第一方',
  'releases up to each whose numbers are averaged': '每一方向前取多少个版本的数值平均',
  'of releases, compare only the numbers': '对版本只比较数值，不比较权重',
  'keep the comparison under this name': '以此名称保存该比较',
  'write it as one page that needs nothing beside it': '写成一个自包含的网页',
  'RUN:RELEASE (r10 or 10), RUN (what it serves), a recipe, or a folder of weights':
    'RUN:RELEASE（r10 或 10）、RUN（在线版本）、配方或权重目录',
  'list the comparisons kept under a name, or make one of them again':
    '列出已保存的比较，或重新生成其中之一',
  'write it as one page': '写成一个网页',
  'forget it': '删除该比较',
  'name or the start of an id': '名称或 id 的开头',
  'take back what was attached of a task': '移除某个任务已附加的结果',
  'attach a table of results made outside the stack to a run':
    '把运行栈之外得到的结果表附加到某次运行',
  run: '运行',
  'CSV, tab-separated text or JSON; - reads standard input':
    'CSV、制表符分隔文本或 JSON；- 表示读取标准输入',
  'ask what a run serves; prints the answer as it comes, then its receipt':
    '向某次运行的在线版本提问；回答随到随显，最后给出收据',
  'which scenario; default the run’s first': '哪个场景；默认为该运行的第一个',
  'new folder that --export copies into': '--export 复制到的新目录',
  'which scenario; default the only one': '哪个场景；默认为唯一的一个',
  'in the form of Anthropic’s messages; default OpenAI’s chat completions':
    '使用 Anthropic messages 格式；默认 OpenAI chat completions',
  'give an answer a score, words, or both': '给某个回答评分、写评语，或两者皆有',
  'how good the answer is': '回答有多好',
  'what to say of it': '对回答的评语',
  'where the feedback of each scenario went': '各场景的反馈去向',
  'only this scenario': '只看该场景',
  'give two to eight sides the same prompts and keep their answers':
    '对二至八方使用相同的 prompt 并保存回答',
  'one prompt a line, or longer ones between lines of ---': '每行一个 prompt，较长的以 --- 行分隔',
  'what to call it': '名称',
  'from 0 to 2': '0 到 2',
  'longest answer': '回答的最大长度',
  'environment variable with the token of an http address': '存放 http 地址 token 的环境变量',
  'model an http address is asked for': '向 http 地址请求的模型',
  'RUN:RELEASE (r10 or 10), RUN (what it serves), an http address, or a file of answers':
    'RUN:RELEASE（r10 或 10）、RUN（在线版本）、http 地址或回答文件',
  'sides unnamed, in an order drawn by lot, until all is judged':
    '在全部评判之前隐去各方名称，顺序由抽签决定',
  'ask again for the answers that are missing': '重新询问缺少的回答',
  'name the sides of a blind trial before all is judged': '在全部评判之前显示盲评各方名称',
  'list trials, or show one with its answers and verdicts': '列出对照，或显示其中之一的回答与评判',
  'send its verdicts to the service as scores': '把评判作为分数上报给服务',
  'a trial, by the start of its id': '对照 id 的开头',
  'say which answer of a trial is best': '评判对照中哪个回答最好',
  'which prompt, from 1': '第几个 prompt，从 1 开始',
  'a, b … h as shown, several as a+c, tie, bad when none is any good, or none to take it back':
    '所示的 a、b … h，多个并列写作 a+c，相当为 tie，均不可取为 bad，或用 none 撤销',

  'read metrics from logs, TensorBoard, W&B, CSV, JSON files or run folders':
    '从日志、TensorBoard、W&B、CSV、JSON 文件或运行目录读取指标',
  'only these keys; without --summary every point of them':
    '只看这些键；没有 --summary 时列出每个点',
  'one line a key: count, first and last step, last value, non-finite count':
    '每个键一行：数量、首末步、末值、非有限值数量',
  'print JSON (an object a line without --summary)': '输出 JSON（没有 --summary 时每行一个对象）',
  'print CSV': '输出 CSV',
  'files or folders to read, merged in this order': '要读取的文件或目录，按此顺序合并',
  'make a record of TensorBoard, W&B, CSV, JSON files, logs or folders of these':
    '把 TensorBoard、W&B、CSV、JSON 文件、日志或其目录导入为记录',
  'name of the record (default: that of the first file)': '记录的名称（默认取第一个文件的名称）',
  'files or folders, of one run': '同一次运行的文件或目录',

  'Weaver, the training service of NexRL: models, checkpoints and four acts':
    'Weaver（NexRL 的训练服务）：模型、checkpoint 与四种操作',
  'server, and where the key comes from': '服务器，以及密钥来源',
  'models that can be trained, with modes and prices': '可训练的模型，及其模式与价格',
  'your models, newest first': '你的模型，最新的在前',
  'only those of one session': '只看某个 session 的',
  'checkpoints of a model, and how long they live': '模型的 checkpoint 及其有效期',
  'give a checkpoint another life': '修改 checkpoint 的有效期',
  'from now on; absent: for good': '从现在起的秒数；省略表示永久',
  'do it': '执行',
  'also where it lives longer already': '即使当前有效期更长也照改',
  'save the model as it is now, for good': '永久保存模型的当前状态',
  'with the state of the optimizer': '连同优化器状态',
  'name of the checkpoint': 'checkpoint 的名称',
  'make a Hugging Face artifact of a checkpoint': '把 checkpoint 导出为 Hugging Face 格式',
  'merge the adapter into the base model': '把 adapter 合并到基座模型',
  'download an exported checkpoint; every file is checked by sha256':
    '下载已导出的 checkpoint；每个文件均以 sha256 校验',
  'which export, where there are two': '有两种导出时选择哪一种',
  'keep the weights of every Nth step of a run while it is watched; 0: none':
    '观察某次运行期间，每 N 步保留一次权重；0 表示不保留',

  'clone a repository with git, large files too; default folder: ./Reef':
    '用 git 克隆仓库（含大文件）；默认目录 ./Reef',
  'leave what git-lfs keeps elsewhere': '不下载 git-lfs 存放在别处的内容',
  'build Reef’s image from its checkout, with docker/Dockerfile.reef':
    '用 docker/Dockerfile.reef 从检出目录构建 Reef 镜像',
  'container engine that gets it; “slipway targets” lists them':
    '接收镜像的容器引擎；“slipway targets”可列出',
  'name the image gets': '镜像的名称',
  'a named stage of the Dockerfile, such as tttd': 'Dockerfile 中的命名阶段，例如 tttd',
  'a variable of the Dockerfile; no secret': 'Dockerfile 的变量；不要填写密钥',
  'list where a stack can run, with the ids that --target takes':
    '列出运行栈可运行的位置，以及 --target 可用的 id',
  'ask remote ones, too': '同时询问远程目标',
  'what stands below a running stack: Ray, SGLang and GPUs, now':
    '运行中的运行栈的底层现状：Ray、SGLang 与 GPU'
}
