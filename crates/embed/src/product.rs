//! Products of matrices, on the thread that asks.

use matrixmultiply::sgemm;

/// A matrix within a row of numbers.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    pub numbers: &'a [f32],
    pub rows: usize,
    pub columns: usize,
    /// From one row to the next.
    pub row_step: usize,
    /// From one column to the next.
    pub column_step: usize,
}

impl<'a> Matrix<'a> {
    /// Rows one behind the other, without gaps.
    pub fn whole(numbers: &'a [f32], columns: usize) -> Self {
        Matrix {
            numbers,
            rows: numbers.len() / columns,
            columns,
            row_step: columns,
            column_step: 1,
        }
    }

    /// The same numbers with rows and columns changed over.
    pub fn turned(self) -> Self {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_step: self.column_step,
            column_step: self.row_step,
            ..self
        }
    }

    fn is_within(&self) -> bool {
        is_within(
            self.numbers.len(),
            self.rows,
            self.columns,
            self.row_step,
            self.column_step,
        )
    }
}

/// Adds `left * right` to the rows in `sum`, which are `row_step` numbers apart.
///
/// # Errors
/// Says so when the three do not fit together; nothing is changed then.
pub(crate) fn add_product(sum: &mut [f32], row_step: usize, left: Matrix<'_>, right: Matrix<'_>) -> Result<(), String> {
    let (rows, columns, inner) = (left.rows, right.columns, left.columns);
    let fits = inner == right.rows
        && columns <= row_step
        && left.is_within()
        && right.is_within()
        && is_within(sum.len(), rows, columns, row_step, 1);
    if !fits {
        return Err("matrices that do not fit together".to_owned());
    }
    let step = |step: usize| isize::try_from(step).unwrap_or(isize::MAX);
    // SAFETY: every index that follows from the sizes and steps was just seen to be within its slice, the rows of `sum`
    // do not overlap, and `sum` is borrowed for us alone.
    #[allow(unsafe_code)]
    unsafe {
        sgemm(
            rows,
            inner,
            columns,
            1.0,
            left.numbers.as_ptr(),
            step(left.row_step),
            step(left.column_step),
            right.numbers.as_ptr(),
            step(right.row_step),
            step(right.column_step),
            1.0,
            sum.as_mut_ptr(),
            step(row_step),
            1,
        );
    }
    Ok(())
}

/// Tells whether the last number of a matrix is one of `len`.
fn is_within(len: usize, rows: usize, columns: usize, row_step: usize, column_step: usize) -> bool {
    let (Some(below), Some(behind)) = (rows.checked_sub(1), columns.checked_sub(1)) else {
        return true;
    };
    let last = below
        .checked_mul(row_step)
        .zip(behind.checked_mul(column_step))
        .and_then(|(below, behind)| below.checked_add(behind));
    last.is_some_and(|last| last < len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_added_row_by_row() {
        let left = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let right = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let mut sum = vec![10.0; 5];
        add_product(&mut sum, 3, Matrix::whole(&left, 3), Matrix::whole(&right, 2)).unwrap();
        // The gap between the rows is left alone.
        assert_eq!(sum, [14.0, 15.0, 10.0, 20.0, 21.0]);
        let mut sum = vec![0.0; 4];
        let turned = Matrix::whole(&left, 3);
        add_product(&mut sum, 2, turned, turned.turned()).unwrap();
        assert_eq!(sum, [14.0, 32.0, 32.0, 77.0]);
    }

    #[test]
    fn matrices_that_do_not_fit_are_refused() {
        let numbers = [0.0; 6];
        let (wide, high) = (Matrix::whole(&numbers, 3), Matrix::whole(&numbers, 2));
        assert!(add_product(&mut [0.0; 4], 2, wide, wide).is_err());
        assert!(add_product(&mut [0.0; 3], 2, wide, high).is_err());
        assert!(add_product(&mut [0.0; 4], 1, wide, high).is_err());
        let beyond = Matrix { row_step: 4, ..wide };
        assert!(add_product(&mut [0.0; 4], 2, beyond, high).is_err());
        let overflowing = Matrix {
            row_step: usize::MAX,
            rows: 3,
            ..wide
        };
        assert!(add_product(&mut [0.0; 6], 2, overflowing, high).is_err());
    }
}
