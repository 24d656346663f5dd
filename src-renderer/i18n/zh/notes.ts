import type { notes as en } from '../en/notes'
import type { Same } from '../catalogue'

export const notes: Same<typeof en> = {
  title: '笔记',
  sub: '保存为运行文件夹中的 notes.md',
  placeholder: '关于此运行，你试了什么、看到了什么、想记住什么',
  saved: '已保存',
  saving: '保存中…',
  unsaved: '尚未保存',
  failed: '未保存：{{why}}',
  saveNow: '立即保存',
  readOnly: '另一台机器正在写入此运行，其笔记在这里只能查看。',
  changedElsewhere: '在此期间，笔记在别处被修改。',
  takeTheirs: '采用那份文本',
  keepMine: '保留我的'
}
