import { describeLearning } from '../support/practice-learning'

for (const seed of [1, 2, 3, 4, 5]) describeLearning(seed)
