export type TaskName = 'modular' | 'letters' | 'labs'
export interface Task {
  id: string
  task: TaskName
  prompt: string
  answer: string | null
  length: number
}
export function firstTasks(task: TaskName, name: string, count: number): Task[]
export function meritFactor(signs: string): number
export function scoreAnswer(task: Task, answer: string): number
