import { useTranslation } from 'react-i18next'

/** The target every machine has. The person gave it no name, so it is called in their language. */
const LOCAL = 'local'
/** The target of a record that was made of files. */
const IMPORTED = 'import'

/** Shown name of a target. */
export function useTargetName(): (target: { id: string; name: string }) => string {
  const { t } = useTranslation('common')
  return ({ id, name }) => {
    if (id === LOCAL) return t('thisComputer')
    return id === IMPORTED ? t('imported') : name
  }
}
